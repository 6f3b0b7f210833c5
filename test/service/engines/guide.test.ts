import { expect, it } from 'vitest';
import { guide } from '../../../src/service/engines/guide.js';
import { rank } from '../../../src/service/engines/guide.js';
import { passages } from '../../../src/service/engines/manual.js';
import type { Prompt } from '../../../src/service/engines/engine.js';
import { promptOf } from './prompt.js';

async function answer(question: string, more: Partial<Prompt> = {}): Promise<string> {
  const { blocks } = await guide(promptOf(question, more));
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** A question and the passage that must come first. */
const questions: readonly [string, string][] = [
  ['How much money do I have left?', 'The balance'],
  ['how do I log in?', 'Logging in and storing a key'],
  ['how can I attach an image?', 'Sending files and images'],
  ['list all models', 'Listing models: which models there are'],
  ['can I use a JSON schema', 'Structured answers that match a JSON Schema'],
  ['hide the reasoning', 'Reasoning and thinking'],
  ['does it work offline?', 'Working offline: --local'],
  ['how do I write a script for local/script', 'Scripted answers for test suites: local/script'],
  ['what did it cost', 'What an answer cost'],
  ['use it in CI', 'In CI and shell scripts'],
  // Each with as many mistakes as are forgiven, at its start, within and at its end.
  ['xalance', 'The balance'],
  ['structyred axswers', 'Structured answers that match a JSON Schema'],
  ['trnscribing', 'Transcribing a recording'],
  ['uninstakk', 'How to uninstall svc'],
];

it.each(questions)('local/guide finds for "%s" the passage "%s"', async (question, title) => {
  expect((await rank(question))[0]?.title).toBe(title);
});

it('local/guide finds each topic by its own title', async () => {
  // The first one is what svc says of itself when asked nothing in particular.
  const topics = passages.slice(1).filter(({ isReference }) => !isReference);
  for (const { title } of topics) expect((await rank(title))[0]?.title).toBe(title);
});

it('local/guide says when the manual has no answer, and what it covers', async () => {
  const text = await answer('xyzzy plugh');
  expect(text).toMatch(/^I do not know: the manual of svc has no answer to that\./);
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
