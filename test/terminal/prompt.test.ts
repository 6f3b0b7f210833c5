import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { Prompts } from '../../src/terminal/prompt.js';
import { PromptClosed } from '../../src/terminal/types.js';
import { questions } from '../../src/texts/en/questions.js';
import { attacks, liveIn, Screen } from './screens.js';

const atTerminal = { inputTty: true, outputTty: true, allowed: true, yes: false, plain: false };

/** Prompts to a person whose keys a test presses. */
function openPrompts(options: Partial<typeof atTerminal> = {}) {
  const { inputTty, outputTty, allowed, yes, plain } = { ...atTerminal, ...options };
  const stdin = Object.assign(new PassThrough(), { isTTY: inputTty });
  const output = new Screen({ tty: outputTty });
  const abort = new AbortController();
  const prompts = new Prompts({ stdin, stderr: output }, { input: allowed, yes }, abort.signal, {
    isPlain: () => plain,
    words: () => Promise.resolve(questions),
  });
  /** Presses keys once the question stands on the screen. */
  const press = async (keys: string, after = '?') => {
    while (!output.text.includes(after)) await new Promise((resolve) => setImmediate(resolve));
    stdin.write(keys);
  };
  return { prompts, output, press, abort, stdin };
}

const message = 'which?';
const choices = ['a', 'b', 'c'].map((value) => ({ value, name: `the ${value}` }));

describe.each<[string, (prompts: Prompts) => Promise<unknown>]>([
  ['text', (prompts) => prompts.text({ message })],
  ['secret', (prompts) => prompts.secret({ message })],
  ['confirm', (prompts) => prompts.confirm({ message })],
  ['select', (prompts) => prompts.select({ message, choices })],
  ['several', (prompts) => prompts.several({ message, choices, max: 1 })],
  ['search', (prompts) => prompts.search({ message, choices })],
])('a question for %s', (_, ask) => {
  test.each([
    ['stdin is no terminal', { inputTty: false }],
    ['stderr is no terminal', { outputTty: false }],
    ['--no-input was given', { allowed: false }],
  ])('is refused when %s', async (_, options) => {
    const { prompts, output } = openPrompts(options);
    const answer = ask(prompts);
    await expect(answer).rejects.toThrow(UsageError);
    await expect(answer).rejects.toThrow('cannot ask "which?" without a terminal');
    expect(output.text).toBe('');
  });

  test('is closed by Ctrl-C, and ends when the user interrupts svc', async () => {
    const { prompts, press } = openPrompts();
    const answer = ask(prompts);
    await press('\u0003');
    await expect(answer).rejects.toThrow(PromptClosed);
    const second = openPrompts();
    const never = ask(second.prompts);
    await second.press('');
    second.abort.abort(new Error('interrupted'));
    await expect(never).rejects.toThrow();
  });
});

test('Ctrl-D closes a list of choices and clears it', async () => {
  const { prompts, press, output } = openPrompts();
  const answer = prompts.search({ message, choices });
  await press('\u0004', 'the c');
  await expect(answer).rejects.toThrow(PromptClosed);
  expect(output.text.slice(output.text.lastIndexOf('the c'))).toContain('\u001b[2K');
});

describe('an answer', () => {
  test.each([
    ['text', true],
    ['secret', false],
  ] as const)('to a question for a %s is what was typed, and shown: %s', async (kind, isShown) => {
    const { prompts, press, output } = openPrompts();
    const answer = prompts[kind]({ message });
    await press('sk-svc-s3cret\r');
    await expect(answer).resolves.toBe('sk-svc-s3cret');
    expect(/s3cret|sk-/.test(output.text)).toBe(isShown);
  });

  test.each([
    ['y\r', true],
    ['n\r', false],
    ['\r', false],
  ])('to a confirmation with %j is %s', async (keys, isConfirmed) => {
    const { prompts, press } = openPrompts();
    const answer = prompts.confirm({ message, default: false });
    await press(keys);
    await expect(answer).resolves.toBe(isConfirmed);
  });

  test('to a confirmation is yes under --yes, also without a terminal', async () => {
    const alone = { inputTty: false, outputTty: false, allowed: false };
    const { prompts, output } = openPrompts({ ...alone, yes: true });
    await expect(prompts.confirm({ message, default: false })).resolves.toBe(true);
    expect(output.text).toBe('');
  });

  const tooMany = [
    ['a\r', 'the c'],
    ['\u001b[B \r', 'at most 2'],
  ] as const;

  test.each([
    ['none', [['\r', 'the c']], []],
    ['those that were marked', [[' \u001b[B\u001b[B \r', 'the c']], ['a', 'c']],
    ['no more than may be marked', tooMany, ['a', 'c']],
  ] as const)('to a question for several is %s', async (_, keys, values) => {
    const { prompts, press } = openPrompts();
    const answer = prompts.several({ message, choices, max: 2 });
    for (const [one, after] of keys) await press(one, after);
    await expect(answer).resolves.toEqual(values);
  });
});

/** The sequences with which the library draws a question. */
const drawing = /\u001b\[(\?25[hl]|[\d;]*[ABCDGHJKm])/g;

test.each(attacks)('a question or a choice cannot bring %s', async (_, text) => {
  const { prompts, press, output } = openPrompts();
  const answer = prompts.select({
    message: `${text}?`,
    choices: [{ value: 'a', name: `${text}.` }],
  });
  await press('\r', '.');
  await expect(answer).resolves.toBe('a');
  expect(liveIn(output.text.replace(drawing, '').replaceAll('\r\n', '\n'))).toEqual([]);
  expect(output.text).not.toContain(text);
});

describe('a question in lines, for a screen that is read aloud,', () => {
  const several = (prompts: Prompts) => prompts.several({ message, choices, max: 2 });
  test.each<[string, string, unknown, string, (prompts: Prompts) => Promise<unknown>]>([
    [
      'a text',
      '\n',
      'x',
      'which? (Enter: x): ',
      (prompts) => prompts.text({ message, default: 'x' }),
    ],
    [
      'a secret',
      's3cret\n',
      's3cret',
      'which? (it is not shown): \n',
      (prompts) => prompts.secret({ message }),
    ],
    [
      'a yes',
      'Y\n',
      true,
      'which? yes or no (Enter: yes): ',
      (prompts) => prompts.confirm({ message }),
    ],
    [
      'a choice',
      '2\n',
      'b',
      '1. the a\n2. the b\n3. the c\n',
      (prompts) => prompts.select({ message, choices }),
    ],
    [
      'none',
      '\n',
      undefined,
      'Number, or words to search for (Enter: skip): ',
      (prompts) => prompts.select({ message, choices }),
    ],
    ['two choices', '3, 1\n', ['c', 'a'], 'Numbers, up to 2', several],
    [
      'a found one',
      '1\n',
      'a',
      'Number, or words to search for',
      (prompts) => prompts.search({ message, choices }),
    ],
  ])('takes %s, and draws nothing again', async (_, keys, value, shown, ask) => {
    const { prompts, press, output } = openPrompts({ plain: true });
    const answer = ask(prompts);
    await press(keys, ': ');
    await expect(answer).resolves.toEqual(value);
    expect(output.text).toContain(shown);
    expect(output.text).not.toMatch(/[\u001b\r]|s3cret/);
  });

  test('asks again after a fault, and finds choices by their words', async () => {
    const { prompts, press, output } = openPrompts({ plain: true });
    const answer = prompts.search({ message, choices });
    await press('C\n', 'skip): ');
    await press('2\n', '1. the c\n1 found\n');
    await press('nowhere\n', 'type a number from 1 to 1\n');
    await press('1\n', 'nothing found\n');
    await expect(answer).resolves.toBe('c');
    expect(output.text).not.toContain('\u001b');
  });

  test('says how many choices there are besides the first', async () => {
    const { prompts, press, output } = openPrompts({ plain: true });
    const many = Array.from({ length: 30 }, (_, index) => ({ value: 'v', name: `m${index}` }));
    const answer = prompts.search({ message, choices: many });
    await press('m\n', '30 in all; the first 20 are shown\n');
    await press('\n', '30 found; the first 20 are shown\n');
    await expect(answer).resolves.toBeUndefined();
    expect(output.text).not.toContain('21. ');
  });

  test.each(['\u0004', ''])('is closed by %j', async (keys) => {
    const { prompts, press, stdin } = openPrompts({ plain: true });
    const answer = keys === '' ? prompts.text({ message }) : prompts.secret({ message });
    await press(keys, ': ');
    if (keys === '') stdin.end();
    await expect(answer).rejects.toThrow(PromptClosed);
  });
});

test('a search shows what has the words, and a row that would break is cut', async () => {
  const { prompts, press, output } = openPrompts();
  const long = { value: 'd', name: `the d ${'x'.repeat(200)}` };
  const answer = prompts.search({ message, choices: [...choices, long] });
  await press('d', 'the c');
  await press('\r', 'xx…');
  await expect(answer).resolves.toBe('d');
  expect(output.text).not.toContain(long.name);
  const skipped = prompts.search({ message, choices });
  await press('\u001b', 'the b');
  await expect(skipped).resolves.toBeUndefined();
});

test.each([
  ['c\r', 'c'],
  ['x\u007f\r', 'a'],
  ['the\u001b[B\r', 'b'],
  ['c\rx\r\u001b', 'c'],
])('a search chooses what %j finds, also where all of it arrives at once', async (keys, value) => {
  const { prompts, press } = openPrompts();
  const answer = prompts.search({ message, choices });
  await press(keys, 'the c');
  await expect(answer).resolves.toBe(value);
});
