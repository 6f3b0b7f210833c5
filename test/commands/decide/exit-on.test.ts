import { describe, expect, it } from 'vitest';
import { json } from '../../helpers/fake-service.js';
import { asking, decided } from './scene.js';

describe('--exit-on', () => {
  it.each([
    ['team=billing', 0],
    ['team=tech', 13],
    ['team!=billing', 13],
    ['mood=2.0', 0],
    ['mood>=annoyed', 0],
    ['mood<=1', 13],
    ['spam=no', 0],
    ['spam=yes', 13],
    ['spam>=0.5', 13],
  ])('%s ends with %i, and says nothing of it', async (condition, code) => {
    const line = ['--state', 'x', ...asking];
    const result = await decided([...line, '--exit-on', condition]);
    expect({ stderr: result.stderr, code: result.code }).toEqual({ stderr: '', code });
    expect(result.stdout).toBe('team\tbilling\t0.92\t\nmood\t2\t0.65\tannoyed\nspam\t0.07\t\t\n');
  });

  it('takes no failure for a no', async () => {
    const line = ['--state', 'x', ...asking, '--exit-on', 'team=tech'];
    expect((await decided(line, {}, json({ error: 'no' }, 402))).code).toBe(5);
    const { stderr, code } = await decided(line, {}, json({ answers: {} }));
    expect(code).toBe(10);
    expect(stderr).toContain('the service gave no answer to "team"');
  });
});

describe('an answer that is none', () => {
  const line = ['--state', 'x', '--noul', 'q=Is it?'];
  it.each([
    [{ noul: ['0.9'] }, '["0.9"]'],
    [{ verdict: 1 }, '{"verdict":1}'],
  ])('%j is neither a yes nor a no', async (answer, told) => {
    for (const condition of ['q=yes', 'q=no', 'q!=yes', 'q>=0.5', 'q<=0.5', 'q=0.5']) {
      const { stderr, code } = await decided(
        [...line, '--exit-on', condition],
        {},
        json({ answers: { q: answer } }),
      );
      expect({ condition, code }).toEqual({ condition, code: 10 });
      expect(stderr).toContain(
        `the service answered "q" with what is no answer to it: ${JSON.stringify(told)}`,
      );
    }
  });

  it('is an option that was not there to choose', async () => {
    const words = ['--state', 'x', '--choice', 't=Who?', '--option', 't:a', '--option', 't:b'];
    const { code } = await decided(
      [...words, '--exit-on', 't!=a'],
      {},
      json({ answers: { t: { choice: 'c' } } }),
    );
    expect(code).toBe(10);
  });
});

describe('the failures of the decisions model are told apart', () => {
  it.each([
    [
      400,
      'it failed',
      'see what was sent with --dry-run; `svc models pricing` shows the decisions models',
      3,
    ],
    [502, 'it failed', 'the decisions model failed, not the request: run it again in a moment', 6],
    [
      504,
      'it failed',
      'look whether it was carried out before you send it again: `svc usage list`; a shorter state and fewer questions take less time',
      10,
    ],
  ])('%i', async (status, message, hint, code) => {
    const line = ['--state', 'x', '--noul', 'q=Is it?'];
    const failure = { error: { message, type: 'api_error', code: 'failed' } };
    const result = await decided(line, {}, json(failure, status));
    expect(result).toMatchObject({
      stdout: '',
      stderr: `error: ${message}\nhint: ${hint}\n`,
      code,
    });
    expect(result.sent).toHaveLength(1);
  });
});
