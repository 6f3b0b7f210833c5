import { describe, expect, it } from 'vitest';
import { chunks, chunksEnd, fakeService } from '../../helpers/fake-service.js';
import { gate } from '../../helpers/gate.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';

/** Asks a service whose answer begins after this silence, and ends when `until` is shown. */
async function waited(line: string, silenceMs: number, until: string, options: RunOptions = {}) {
  const clock = new ManualClock();
  const { opened, open } = gate();
  const { env } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    clock.pass(silenceMs);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (until === '') open();
    void opened.then(() => response.end(chunks('Yes.') + chunksEnd));
  });
  const onStderr = (text: string) => {
    if (text.includes(until)) open();
  };
  const tty = { stdin: true, stderr: true };
  return run(line, { tty, ...options, env: { ...env, ...options.env }, clock, onStderr });
}

describe('a silence before the answer', () => {
  it.each(['hi', '--no-stream hi', '-x hi'])(
    'shows a spinner after 300 ms, which leaves no trace: svc chat %s',
    async (words) => {
      const { stderr } = await waited(`chat -m v ${words}`, 300, 'waiting for');
      expect(stderr).toContain('waiting for v');
      // Its line is cleared, and the cursor is back.
      const [before = '', after = ''] = stderr.split('\u001b[?25h');
      expect(before).toMatch(/^\u001b\[\?25l[^]*\u001b\[1G\u001b\[0K$/);
      expect(after).not.toContain('waiting');
    },
  );

  it.each([
    ['that is shorter', 'hi', 299, {}],
    ['under --quiet', '-q hi', 300, {}],
    ['under --json', '--json hi', 300, {}],
    ['on a dumb terminal', 'hi', 300, { env: { TERM: 'dumb' } }],
    ['where stderr is not a terminal', 'hi', 300, { tty: { stdin: true, stdout: true } }],
  ])('shows nothing %s', async (_, words, silenceMs, options) => {
    const result = await waited(`chat -m v ${words}`, silenceMs, '', options);
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });
});
