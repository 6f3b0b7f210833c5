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

/** Questions as a new user asks them, and the topic that must answer. */
test.each([
  ['How do I keep costs down?', 'Keeping costs down'],
  ['what does a model cost', 'Prices of a model, for input and output'],
  ['how do I choose a model', 'Choosing a model'],
  ['is my key safe', 'How the key is kept private'],
  ['I get 401', 'The statuses 401, 402, 403, 404 and 429'],
  ['my request timed out', 'Timeouts: a call that timed out'],
  ['how do I use the openai sdk', 'Using the official SDKs with svc serve'],
  ['generate an image', 'How to make a picture or a video'],
  ['which options does a media model take', 'The options of a media model'],
  ['how much will the job cost', 'What a job will cost, and a ceiling for it'],
  ['I pressed ctrl-c, how do I come back to my job', 'Leaving a job, and coming back to it'],
  ['the download was interrupted', 'Fetching results, also after an interruption'],
  ['reset the store', 'The store of the embedded service, and how to reset it'],
  ['make the answer shorter', 'Limiting the length of an answer'],
])('"%s" is answered by "%s"', (question, title) => {
  expect(rank(question)[0]?.title).toBe(title);
});
