import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { attacks, liveIn, stage } from './screens.js';

const colours: unknown[] = [];
vi.mock('ora', async (original) => {
  const { default: ora } = await original<typeof import('ora')>();
  return {
    default: (options: Parameters<typeof ora>[0]) => {
      colours.push(typeof options === 'object' ? options.color : undefined);
      return ora(options);
    },
  };
});

beforeEach(() => {
  colours.length = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The sequences with which a spinner draws its line: cursor, column, clearing, wrapping, colour. */
const drawing = /\u001b\[(\?25[hl]|\?2026[hl]|\?7[hl]|\d*G|\d*K|3\dm)/g;

describe('a spinner', () => {
  test('shows what is awaited, and takes it back', async () => {
    const { out, stdout, stderr } = stage();
    const spinner = await out.spinner('waiting for it');
    vi.advanceTimersByTime(200);
    spinner.update('half done');
    vi.advanceTimersByTime(200);
    spinner.stop();
    const drawn = stderr.text;
    expect(drawn.replace(drawing, '')).toMatch(/^(. waiting for it)+(. half done)+$/u);
    // The line is cleared, and the cursor back.
    expect(drawn.slice(drawn.lastIndexOf('done'))).toContain('\u001b[0K');
    expect(drawn.slice(drawn.lastIndexOf('done'))).toContain('\u001b[?25h');
    expect(stdout.text).toBe('');
    vi.advanceTimersByTime(1000);
    expect(stderr.text).toBe(drawn);
  });

  test('ends with its signal, and does not start after it', async () => {
    const { out, stderr } = stage();
    const over = new AbortController();
    await out.spinner('waiting', over.signal);
    over.abort();
    const drawn = stderr.text;
    expect(drawn).toMatch(/waiting[^]*\u001b\[\?25h$/);
    await out.spinner('waiting', over.signal);
    vi.advanceTimersByTime(1000);
    expect(stderr.text).toBe(drawn);
  });

  test.each(attacks)('cannot bring %s', async (_, text) => {
    const { out, stderr } = stage({ env: { NO_COLOR: '1' } });
    const spinner = await out.spinner(text);
    vi.advanceTimersByTime(200);
    spinner.update(text);
    vi.advanceTimersByTime(200);
    spinner.stop();
    expect(liveIn(stderr.text.replace(drawing, ''))).toEqual([]);
    expect(stderr.text).not.toContain(text);
  });

  test.each([
    ['under --quiet', { quiet: true }],
    ['on a pipe', { tty: { stdout: true, stderr: false } }],
    ['on a dumb terminal', { env: { TERM: 'dumb' } }],
    ['on a terminal that has no width, where it would never end', {}, 0],
  ])('is silent %s', async (_, options, columns = 100) => {
    const { out, stdout, stderr } = stage(options);
    stderr.columns = columns;
    const spinner = await out.spinner('waiting');
    vi.advanceTimersByTime(200);
    spinner.update('more');
    vi.advanceTimersByTime(200);
    spinner.stop();
    expect(stdout.text + stderr.text).toBe('');
  });

  test.each([
    [{}, 'cyan'],
    [{ NO_COLOR: '1' }, false],
  ])('under %j has the colour %j', async (env, colour) => {
    const { out } = stage({ env });
    (await out.spinner('waiting')).stop();
    expect(colours).toEqual([colour]);
  });
});
