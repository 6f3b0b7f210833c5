import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { attacks, liveIn, stage } from './screens.js';

// Ora draws in colour where it may, as at a terminal.
vi.hoisted(() => vi.stubEnv('FORCE_COLOR', '1'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The sequences with which a spinner draws its line: cursor, column, clearing, wrapping, colour. */
const drawing = /\u001b\[(\?25[hl]|\?2026[hl]|\?7[hl]|\d*G|\d*K|3\dm)/g;

/** Shows two texts, one after the other. @returns what was sent to the screen */
async function spin(
  words: readonly [string, string],
  options?: Parameters<typeof stage>[0],
  columns = 100,
) {
  const { out, stdout, stderr } = stage(options);
  stderr.columns = columns;
  const spinner = await out.spinner(words[0]);
  vi.advanceTimersByTime(200);
  spinner.update(words[1]);
  vi.advanceTimersByTime(200);
  spinner.stop();
  const sent = stderr.text;
  vi.advanceTimersByTime(1000);
  expect(stdout.text + stderr.text).toBe(sent);
  return sent;
}

describe('a spinner', () => {
  test('shows what is awaited, and takes it back', async () => {
    const sent = await spin(['waiting for it', 'half done']);
    expect(sent.replace(drawing, '')).toMatch(/^(. waiting for it)+(. half done)+$/u);
    // The line is cleared, and the cursor back.
    const end = sent.slice(sent.lastIndexOf('done'));
    expect(end).toContain('\u001b[0K');
    expect(end).toContain('\u001b[?25h');
  });

  test('ends with its signal, and does not start after it', async () => {
    const { out, stderr } = stage();
    const over = new AbortController();
    await out.spinner('waiting', over.signal);
    over.abort();
    const sent = stderr.text;
    expect(sent).toMatch(/waiting[^]*\u001b\[\?25h$/);
    await out.spinner('waiting', over.signal);
    vi.advanceTimersByTime(1000);
    expect(stderr.text).toBe(sent);
  });

  test.each(attacks)('cannot bring %s', async (_, text) => {
    const sent = await spin([text, text], { env: { NO_COLOR: '1' } });
    expect(liveIn(sent.replace(drawing, ''))).toEqual([]);
    expect(sent).not.toContain(text);
  });

  test.each([
    ['under --quiet', { quiet: true }],
    ['on a pipe', { tty: { stdout: true, stderr: false } }],
    ['on a dumb terminal', { env: { TERM: 'dumb' } }],
    ['on a terminal that has no width, where it would never end', {}, 0],
  ])('is silent %s', async (_, options, columns = 100) => {
    expect(await spin(['waiting', 'more'], options, columns)).toBe('');
  });

  test.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('under %j is yellow, with its counts of failures red: %j', async (env, isColoured) => {
    const sent = await spin(['waiting', '3/9 · 2 failed · 0 unknown'], { env });
    expect(sent.includes('\u001b[33m')).toBe(isColoured);
    expect(sent.includes('· \u001b[31m2 failed\u001b[39m · 0 unknown')).toBe(isColoured);
  });
});
