import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { Prompts } from '../../src/terminal/prompt.js';
import { PromptClosed } from '../../src/terminal/types.js';
import { attacks, liveIn, Screen } from './screens.js';

const atTerminal = { inputTty: true, outputTty: true, allowed: true, yes: false };

/** Prompts to a person whose keys a test presses. */
function asking(given: Partial<typeof atTerminal> = {}) {
  const { inputTty, outputTty, allowed, yes } = { ...atTerminal, ...given };
  const stdin = Object.assign(new PassThrough(), { isTTY: inputTty });
  const output = new Screen({ tty: outputTty });
  const abort = new AbortController();
  const prompts = new Prompts({ stdin, stderr: output }, { input: allowed, yes }, abort.signal);
  /** Presses keys once the question stands on the screen. */
  const press = async (keys: string, after = '?') => {
    while (!output.text.includes(after)) await new Promise((resolve) => setImmediate(resolve));
    stdin.write(keys);
  };
  return { prompts, output, press, abort };
}

const oneChoice = [{ value: 'a', name: 'A' }];
const questions: readonly (readonly [string, (prompts: Prompts) => Promise<unknown>])[] = [
  ['text', (prompts) => prompts.text({ message: 'which?' })],
  ['secret', (prompts) => prompts.secret({ message: 'which?' })],
  ['confirm', (prompts) => prompts.confirm({ message: 'which?' })],
  ['select', (prompts) => prompts.select({ message: 'which?', choices: oneChoice })],
  ['several', (prompts) => prompts.several({ message: 'which?', choices: oneChoice, max: 1 })],
];

describe.each(questions)('a question for %s', (_, ask) => {
  test.each([
    ['stdin is no terminal', { inputTty: false }],
    ['stderr is no terminal', { outputTty: false }],
    ['--no-input was given', { allowed: false }],
  ])('is refused when %s', async (_, options) => {
    const { prompts, output } = asking(options);
    const answer = ask(prompts);
    await expect(answer).rejects.toThrow(UsageError);
    await expect(answer).rejects.toThrow('cannot ask "which?" without a terminal');
    expect(output.text).toBe('');
  });

  test('is closed by Ctrl-C', async () => {
    const { prompts, press } = asking();
    const answer = ask(prompts);
    await press('\u0003');
    await expect(answer).rejects.toThrow(PromptClosed);
  });

  test('ends when the user interrupts svc', async () => {
    const { prompts, press, abort } = asking();
    const answer = ask(prompts);
    await press('');
    abort.abort(new Error('interrupted'));
    await expect(answer).rejects.toThrow();
  });
});

describe('an answer', () => {
  const choices = ['a', 'b', 'c'].map((value) => ({ value, name: `the ${value}` }));

  test.each([
    ['text', true],
    ['secret', false],
  ] as const)('to a question for a %s is what was typed, and shown: %s', async (kind, isShown) => {
    const { prompts, press, output } = asking();
    const answer = prompts[kind]({ message: 'which?' });
    await press('sk-svc-s3cret\r');
    await expect(answer).resolves.toBe('sk-svc-s3cret');
    expect(/s3cret|sk-/.test(output.text)).toBe(isShown);
  });

  test.each([
    ['y\r', true],
    ['n\r', false],
    ['\r', false],
  ])('to a confirmation with %j is %s', async (keys, confirmed) => {
    const { prompts, press } = asking();
    const answer = prompts.confirm({ message: 'sure?', default: false });
    await press(keys);
    await expect(answer).resolves.toBe(confirmed);
  });

  test('to a confirmation is yes under --yes, also without a terminal', async () => {
    const alone = { inputTty: false, outputTty: false, allowed: false };
    const { prompts, output } = asking({ ...alone, yes: true });
    await expect(prompts.confirm({ message: 'sure?', default: false })).resolves.toBe(true);
    expect(output.text).toBe('');
  });

  test.each([
    ['\r', []],
    [' \u001b[B\u001b[B \r', ['a', 'c']],
  ])('is every choice that was marked: %j gives %j', async (keys, chosen) => {
    const { prompts, press } = asking();
    const answer = prompts.several({ message: 'which?', choices, max: 2 });
    await press(keys, 'the c');
    await expect(answer).resolves.toEqual(chosen);
  });

  test('is no more choices than may be marked', async () => {
    const { prompts, press } = asking();
    const answer = prompts.several({ message: 'which?', choices, max: 2 });
    await press('a\r', 'the c');
    await press('\u001b[B \r', 'at most 2');
    await expect(answer).resolves.toEqual(['a', 'c']);
  });
});

/** The sequences with which the library draws a question. */
const drawing = /\u001b\[(\?25[hl]|[\d;]*[ABCDGHJKm])/g;

test.each(attacks)('a question or a choice cannot bring %s', async (_, text) => {
  const { prompts, press, output } = asking();
  const answer = prompts.select({
    message: `${text}?`,
    choices: [{ value: 'a', name: `${text}.` }],
  });
  await press('\r', '.');
  await expect(answer).resolves.toBe('a');
  const drawn = output.text.replace(drawing, '').replaceAll('\r\n', '\n');
  expect(liveIn(drawn)).toEqual([]);
  expect(output.text).not.toContain(text);
});
