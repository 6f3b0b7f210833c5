import { describe, expect, it } from 'vitest';
import { svc } from './svc.js';

/** A command that ends in each, of those that test/error-codes has in this process. */
const cases = [
  [0, ['--local', 'balance']],
  [2, ['--local', 'chat', '--temperature', '3', 'hi']],
  [3, ['--local', 'chat', '-m', 'nope', 'hi']],
  [6, ['balance', '--timeout', '200ms']],
  [13, ['--local', 'decide', '--state', 'x', '--yes-no', 'spam=unwanted', '--exit-on', 'spam=yes']],
] as const;

describe('the real svc', () => {
  it.each(cases)('ends with the exit code %i', async (code, words) => {
    const env = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_API_KEY: 'sk-0123456789abcdef' };
    const result = await svc(words, { env });
    expect(result).toMatchObject({ code, signal: null });
    const isReported = [0, 13].includes(code)
      ? /^$/
      : /^error: [^\n]+\n(hint: [^\n]+\n)?(request id: \S+\n)?$/;
    expect(result.stderr).toMatch(isReported);
  });

  it('shows a stack trace when SVC_DEBUG is set, and only then', async () => {
    const words = ['--local', 'chat', '--schema', '/none', 'hi'];
    expect((await svc(words)).stderr).not.toMatch(/^ +at /m);
    expect((await svc(words, { env: { SVC_DEBUG: '1' } })).stderr).toMatch(/^ +at /m);
  });

  it('says héllo 🌍 exactly', async () => {
    const result = await svc(['--local', 'chat', '-m', 'local/echo'], { stdin: 'héllo 🌍\n' });
    expect(result).toEqual({ code: 0, signal: null, stdout: 'héllo 🌍\n', stderr: '' });
  });
});
