import { expect, it } from 'vitest';
import { guide, rank } from '../../../src/service/engines/guide.js';
import { passages } from '../../../src/service/engines/manual.js';
import type { Prompt } from '../../../src/service/engines/engine.js';
import { promptOf } from './prompt.js';

async function answer(question: string, more: Partial<Prompt> = {}): Promise<string> {
  const { blocks } = await guide(promptOf(question, more));
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** A passage, and the first questions of a new user that it must answer, in natural words. */
const firstQuestions: readonly (readonly [string, ...string[]])[] = [
  ['Sending many requests: svc batch run', 'what is a batch?'],
  [
    'What you have spent: the usage history',
    'how do I see what I spent',
    'what did I spend this month',
  ],
  ['Choosing a voice, its format and its speed', 'how do I change the voice'],
  [
    'Changing or deleting a key: when it leaked or is lost',
    'how do I delete my key',
    'my key leaked!',
  ],
  ['Exit codes', 'what do exit codes mean'],
  [
    'What an image, a video or another job will cost',
    'how much does an image cost',
    'how much will the job cost',
  ],
  ['Undo: going back in a conversation', 'how do I undo'],
  [
    'Private data and telemetry: what svc stores',
    'is my data private',
    'who can see my data',
    'does svc send telemetry?',
  ],
  [
    'Python and JavaScript: using the official SDKs',
    'can I use it from Python',
    'how do I use the openai sdk',
    'how do I use svc serve with the openai SDK?',
    'Python example',
  ],
  ['Prompt templates', 'is there a prompt library', 'how do I save a prompt'],
  ['Languages: Russian and others', 'can it answer in Russian?', '如何查看余额'],
  ['Switching to Russian: help and errors', 'switch to Russian', 'show errors in Russian'],
  ['Getting started: free, without an account', 'can I try it for free?'],
  ['Keys: getting an API key', 'where do I get a key', 'where do I get an API key'],
  ['The log: storing your chats and conversations', 'are my chats saved'],
  ['The history of chats and conversations: searching and deleting', 'how do I delete my history'],
  ['Whoami: the profile, key and account in use', 'who am I logged in as'],
  ['Choosing a model', 'how do I change the model', 'which model should I use'],
  [
    'Listing models: which models there are',
    'how do I see all models',
    'which models are there',
    'list all models',
  ],
  ['Budgets: limiting what you spend', 'how do I set a spending limit'],
  ['Settings: the config file', 'how do I change a setting'],
  [
    'How to make an image or a video',
    'how do I make a picture',
    'make me a video',
    'should I use image create or generate?',
    'generate an image',
  ],
  ['Creating an image in one call', 'what is the difference between image create and generate'],
  ['Sources: editing your own photo, video or recording', 'how do I edit a photo'],
  ['Seeing images in the terminal', 'how do I see the picture'],
  ['Extending: a longer video', 'how do I make a video longer'],
  ['Jobs: never lost, never paid twice', 'what is a job'],
  ['Listing jobs: see which are done or were interrupted', 'how do I see my jobs'],
  ['Long texts: an audiobook as one file', 'how do I make an audiobook'],
  ['Your voices: what a cloned voice costs a month', 'what does a cloned voice cost'],
  ['Embeddings: texts as vectors', 'what is an embedding'],
  ['Deciding: classifying a text by questions', 'how do I classify text'],
  ['Continuing an interrupted batch', 'how do I resume a batch'],
  ['Tools for an agent: svc mcp', 'what is MCP', 'which tools does svc mcp have'],
  [
    'What a tool returns, and where its files are',
    'what does a tool return',
    'which files does a tool return',
  ],
  ['Limiting what an agent may spend', 'how do I limit what an agent may spend?'],
  [
    'Limiting what one call of an agent may spend: maxCost',
    'how do I limit what one call of an agent may spend?',
    'what is maxCost',
  ],
  [
    'Being asked before an agent spends: --ask-above',
    'can an agent ask me before it spends?',
    'can svc ask me before an expensive call',
  ],
  [
    'An agent that waits for a job, or cancels it',
    'what happens when an agent cancels a call',
    'how long does an agent wait for a job',
  ],
  [
    'Adding svc to Claude, Cursor, VS Code or Codex',
    'can I use it in VS Code',
    'how do I add svc to codex',
    'how do I add svc to Claude',
  ],
  [
    'A skill: teaching a coding agent to use svc',
    'how do I teach my agent to use svc',
    'what is a skill',
  ],
  [
    'What an agent has to read: tools or commands',
    'how much does an agent have to read',
    'should my agent use tools or commands',
  ],
  ['Scripts: svc in shell scripts and in CI', 'how do I use it in a script', 'use it in CI'],
  ['When svc does not work: what is wrong', 'it does not work'],
  ['Reporting the last error to support', 'how do I report a bug'],
  [
    'Opening a support ticket',
    'how do I talk to a human',
    'open a support ticket',
    'how do I contact support',
  ],
  ['The usage history in a spreadsheet', 'how do I export my usage to Excel'],
  [
    'How to install svc: it works on Linux, macOS and Windows',
    'how do I install svc?',
    'does it work on Windows?',
  ],
  [
    'Help: all commands and all options',
    'which commands are there?',
    'how do I see all options',
    'where are the options of chat',
  ],
  ['Extensions: adding a command of your own', 'how do I write a plugin'],
  ['Running a local server: svc serve', 'how do I start a local server'],
  ['How to update svc to a newer version', 'how can I update it?'],
  ['How to uninstall svc', 'how do I get rid of svc again'],
  ['Adding money: how to top up and pay', 'how do I top up', 'how do I pay for this?'],
  ['Cancelling a job', 'can I cancel a job?'],
  ['The balance', 'how much money is left', 'How much money do I have left?'],
  ['Continuing a conversation', 'how to continue a conversation'],
  ['Working offline: --local', 'how do I use it offline', 'does it work offline?'],
  ['Choosing a default model', 'set a default model'],
  ['Prices of a model: for questions and answers', 'what does a model cost'],
  ['Limiting the cost of a request', 'how do I limit the cost of a request'],
  ['Keeping costs down', 'How do I keep costs down?'],
  ['Exit code 10: outcome unknown', 'why exit code 10'],
  ['Piping text or a file into chat (stdin)', 'pipe a file into chat'],
  ['JSON output for scripts', 'how do I get JSON'],
  ['Profiles: two or more accounts', 'change the profile'],
  ['Transcribing a recording', 'transcribe a recording', 'turn speech into text'],
  ['Speech: reading a text aloud', 'read a text out loud'],
  ['Cloning a voice', 'clone a voice'],
  ['Getting notified when a job is done', 'get notified when a job is done'],
  ['Where files are saved', 'where are my files saved'],
  ['Ctrl-C: stopping an answer', 'what happens if I press ctrl-c'],
  ['Leaving a job, and coming back to it', 'I pressed ctrl-c, how do I come back to my job'],
  ['Using a proxy, and certificates', 'use a proxy'],
  ['How the key is kept private', 'is my key safe'],
  ['The statuses 401, 402, 403, 404 and 429', 'I get 401'],
  ['Timeouts: a call that timed out', 'my request timed out'],
  ['The options of a media model', 'which options does a media model take'],
  ['Downloading results, also after an interruption', 'the download was interrupted'],
  ['The store of the embedded service, and how to reset it', 'reset the store'],
  ['Limiting the length of an answer', 'make the answer shorter'],
  ['Searching the web', 'how do I search the web'],
  ['Completion in the shell (Tab)', 'tab completion'],
  ['Logging in and storing a key', 'how do I log in?'],
  [
    'Sending files and images: asking about a picture',
    'how can I attach an image?',
    'how do I ask about a picture',
  ],
  ['Structured answers that match a JSON Schema', 'can I use a JSON schema'],
  ['Reasoning and thinking', 'hide the reasoning'],
  ['Scripted answers for test suites: local/script', 'how do I write a script for local/script'],
  ['What an answer cost', 'what did it cost'],
  [
    'Running codex, claude, opencode and other agents with a limit',
    'how do I run codex with a limit',
    'run claude code with a limit',
    'how do I use opencode with svc?',
  ],
  [
    'Stopping an agent at a sum of money: --stop',
    'stop an agent at 10 rubles',
    'how do I stop my agent from spending too much',
  ],
  ['Running a program under a ceiling: svc run', 'how do I run my own program under a ceiling'],
  [
    'Using svc in an editor, through svc proxy',
    'how do I use svc with my editor',
    'use svc in an editor',
  ],
  ['When a program makes no request through svc', 'my program makes no request through svc'],
  ['What a ceiling does not cover', 'what does the ceiling not cover'],
  ['Whether a program can see your key', 'can the program see my key'],
  ['What a program has cost: the total and the log', 'what did my program cost'],
  [
    'Testing without paying: tapes, the embedded service, the cache',
    'how to test without paying',
    'how do I test my app without paying',
    'how do I write tests that cost nothing',
  ],
  [
    'Recording requests on a tape: --record',
    'record requests',
    'how do I record the answers of a model',
  ],
  ['Replaying a tape: --replay and --speed', 'replay recorded answers', 'how do I replay a tape?'],
  ['Tests in vitest and in pytest', 'a test with pytest'],
  ['A tape for the commands of svc: SVC_TAPE', 'what is SVC_TAPE'],
  ['The cache: the same request for nothing', 'how do I cache answers', 'is there a cache?'],
  // Each with as many mistakes as are forgiven, at its start, within and at its end.
  ['The balance', 'xalance'],
  ['Structured answers that match a JSON Schema', 'structyred axswers'],
  ['Transcribing a recording', 'trnscribing'],
  ['How to uninstall svc', 'uninstakk'],
];

it.each(firstQuestions)(
  'local/guide answers with the passage "%s"',
  async (title, ...questions) => {
    for (const question of questions) {
      expect([question, (await rank(question))[0]?.title]).toEqual([question, title]);
    }
  },
);

it('local/guide finds each topic by its own title', async () => {
  // The first one is what svc says of itself when asked nothing in particular.
  const topics = passages.slice(1).filter(({ isReference }) => !isReference);
  for (const { title } of topics) expect((await rank(title))[0]?.title).toBe(title);
});

it('local/guide says when the manual has no answer, and what it covers', async () => {
  const text = await answer('xyzzy plugh');
  expect(text).toMatch(/^I do not know: /);
  expect(text).toContain('- Getting started');
  expect(text).toContain('```sh\nsvc help\n```');
});

it.each(['What can you do?', 'hello, what is svc?', 'help', ''])(
  'local/guide says what svc is when asked nothing in particular: "%s"',
  async (question) => {
    expect(await answer(question)).toMatch(/^\*\*What svc can do\*\*/);
  },
);

it('local/guide thinks aloud only when asked, and more with more effort', async () => {
  const lines = async (effort?: string) => {
    const reasoning = effort ? { mode: 'on' as const, effort } : { mode: 'auto' as const };
    const draft = await guide(promptOf('show my balance', { reasoning }));
    return draft.reasoning === '' ? 0 : draft.reasoning.split('\n').length;
  };
  expect(await lines()).toBe(0);
  expect(await lines('minimal')).toBe(1);
  expect(await lines('low')).toBe(2);
  expect(await lines('high')).toBe(5);
  expect(await lines('max')).toBeGreaterThan(5);
});

it('local/guide answers as JSON when asked, with the command beside the text', async () => {
  const json: unknown = JSON.parse(await answer('show my balance', { output: { form: 'json' } }));
  expect(json).toMatchObject({
    answer: expect.stringContaining('prepaid'),
    command: 'svc balance',
  });
});

it('the manual has a title of its own for each passage', () => {
  expect(new Set(passages.map(({ title }) => title)).size).toBe(passages.length);
});
