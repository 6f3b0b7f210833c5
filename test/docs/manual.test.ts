import { expect, test } from 'vitest';
import { topicsIn } from '../../scripts/generate/manual.js';
import { entries } from '../../src/commands/index.js';
import { passages } from '../../src/service/engines/manual.js';
import { rank } from '../../src/service/engines/guide.js';
import { pages } from './pages.js';

test('a page gives a passage for each of its topics', () => {
  const page = `# Page

## One

A paragraph
over two lines.

- a list
- stays

\`\`\`json
{
  "code": "stays"
}
\`\`\`

\`\`\`sh
svc --help
\`\`\`

## Two

Text.

\`\`\`sh
svc balance
\`\`\`
`;
  const text =
    'A paragraph over two lines.\n\n- a list\n- stays\n\n```json\n{\n  "code": "stays"\n}\n```';
  expect(topicsIn(page)).toEqual([
    { title: 'One', text, command: 'svc --help' },
    { title: 'Two', text: 'Text.', command: 'svc balance' },
  ]);
});

test('a topic without a command to type is refused by name', () => {
  expect(() => topicsIn('# Page\n\n## Lonely\n\nText.\n')).toThrow('"Lonely"');
});

test('the passages are the topics of the manual, and every command', () => {
  const topics = pages
    .filter(({ path }) => path.startsWith('docs/manual/'))
    .flatMap(({ text }) => topicsIn(text));
  expect(passages.filter(({ isReference }) => !isReference)).toEqual(topics);
  const titles = passages.map(({ title }) => title);
  for (const entry of entries) {
    for (const verb of 'commands' in entry ? entry.commands : [entry]) {
      const path = verb === entry ? entry.name : `${entry.name} ${verb.name}`;
      expect(titles).toContain(`svc ${path}: ${verb.summary}`);
    }
  }
});

/** The first questions of a new user, in his words, and the topic that must answer each. */
const firstQuestions: readonly (readonly [string, string])[] = [
  ['how do I install svc?', 'How to install svc'],
  ['how can I update it?', 'How to update svc to a newer version'],
  ['how do I get rid of svc again', 'How to uninstall svc'],
  ['where do I get an API key', 'Getting an API key'],
  ['how do I top up', 'Adding money: how to top up and pay'],
  ['how do I pay for this?', 'Adding money: how to top up and pay'],
  ['can I cancel a job?', 'Cancelling a job'],
  ['make me a video', 'How to make an image or a video'],
  ['generate an image', 'How to make an image or a video'],
  ['what did I spend this month', 'What you have spent: the usage history'],
  ['how much money is left', 'The balance'],
  ['how to continue a conversation', 'Continuing a conversation'],
  ['how do I use it offline', 'Working offline: --local'],
  ['which models are there', 'Listing models: which models there are'],
  ['which model should I use', 'Choosing a model'],
  ['set a default model', 'Setting a default model'],
  ['what does a model cost', 'Prices of a model, for input and output'],
  ['how do I limit the cost of a request', 'Limiting the cost of a request'],
  ['How do I keep costs down?', 'Keeping costs down'],
  ['how much will the job cost', 'What a job will cost, and its maximum price'],
  ['why exit code 10', 'Exit code 10: outcome unknown'],
  ['pipe a file into chat', 'Piping text or a file into chat (stdin)'],
  ['how do I get JSON', 'JSON output for scripts'],
  ['change the profile', 'Changing the profile: several accounts'],
  ['transcribe a recording', 'Transcribing a recording'],
  ['turn speech into text', 'Transcribing a recording'],
  ['read a text out loud', 'Speech: reading a text aloud'],
  ['clone a voice', 'Cloning a voice'],
  ['open a support ticket', 'Opening a support ticket'],
  ['how do I contact support', 'Opening a support ticket'],
  ['get notified when a job is done', 'Getting notified when a job is done'],
  ['where are my files saved', 'Where files are saved'],
  ['what happens if I press ctrl-c', 'Ctrl-C: stopping an answer'],
  ['I pressed ctrl-c, how do I come back to my job', 'Leaving a job, and coming back to it'],
  ['use a proxy', 'Using a proxy, and certificates'],
  ['is my key safe', 'How the key is kept private'],
  ['I get 401', 'The statuses 401, 402, 403, 404 and 429'],
  ['my request timed out', 'Timeouts: a call that timed out'],
  ['how do I use the openai sdk', 'Using the official SDKs with svc serve'],
  ['which options does a media model take', 'The options of a media model'],
  ['the download was interrupted', 'Downloading results, also after an interruption'],
  ['reset the store', 'The store of the embedded service, and how to reset it'],
  ['make the answer shorter', 'Limiting the length of an answer'],
  ['how do I search the web', 'Searching the web'],
  ['tab completion', 'Completion in the shell (Tab)'],
];

test.each(firstQuestions)('"%s" is answered by "%s"', async (question, title) => {
  expect((await rank(question))[0]?.title).toBe(title);
});

test.each([
  'what is the capital of France',
  'write a poem about the sea',
  'why is the sky blue',
  'explain quantum entanglement',
  'tell me a joke',
  'who won the football match yesterday',
])('"%s" is not about svc', async (question) => {
  expect(await rank(question)).toEqual([]);
});
