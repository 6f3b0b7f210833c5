import { describe, expect, it } from 'vitest';
import { chunks, chunksEnd, fakeService } from '../../helpers/fake-service.js';
import { gate } from '../../helpers/gate.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';

/** Asks a service that begins its answer when `passed` milliseconds of silence are over. */
async function waited(line: string, passed: number, options: RunOptions, until = 'waiting for') {
  const clock = new ManualClock();
  const silence = gate();
  const service = await fakeService((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    clock.pass(passed);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (until === '') silence.open();
    void silence.opened.then(() => response.end(chunks('Yes.') + chunksEnd));
  });
  const { stdout, stderr, code } = await run(line, {
    ...options,
    env: { ...service.env, ...options.env },
    clock,
    onStderr: (text) => {
      if (text.includes(until)) silence.open();
    },
  });
  return { stdout, stderr, code };
}

const tty = { stdin: true, stderr: true };
const [hidden, shown] = ['\u001b[?25l', '\u001b[?25h'];

describe('a silence before the answer', () => {
  it.each(['chat -m v hi', 'chat -m v --no-stream hi', 'chat -m v -x hi'])(
    'shows a spinner after 300 ms, which leaves no trace: %s',
    async (line) => {
      const { stderr } = await waited(line, 300, { tty });
      expect(stderr).toContain('waiting for v');
      // Its line is cleared, and the cursor is back.
      const [before = '', after = ''] = stderr.split(shown);
      expect(before.startsWith(hidden)).toBe(true);
      expect(before.endsWith('\u001b[1G\u001b[0K')).toBe(true);
      expect(after).not.toContain('waiting');
    },
  );

  it.each([
    ['that is shorter', 'chat -m v hi', 299, {}],
    ['under --quiet', 'chat -m v -q hi', 300, {}],
    ['under --json', 'chat -m v --json hi', 300, {}],
    ['on a dumb terminal', 'chat -m v hi', 300, { env: { TERM: 'dumb' } }],
    ['where stderr is not a terminal', 'chat -m v hi', 300, { tty: { stdin: true, stdout: true } }],
  ])('shows nothing %s', async (_, line, passed, options) => {
    const result = await waited(line, passed, { tty, ...options }, '');
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });
});
