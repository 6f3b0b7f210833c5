import { describe, expect, it } from 'vitest';
import agents from '../../src/lib/agents.json' with { type: 'json' };
import { testFolder } from '../helpers/folder.js';
import { run, type RunOptions } from '../helpers/run.js';

const onTerminal = { tty: true, colour: true } as const;
const list = '--local models list';

describe('a coding agent', () => {
  it.each(agents)('with %s gets on a terminal what a pipe gets', async (name) => {
    const env = { [name]: '1', FORCE_COLOR: '1' };
    const piped = await run(list);
    expect(piped.stdout).toMatch(/^local\/guide\t/);
    expect(await run(list, { ...onTerminal, env })).toEqual(piped);
  });

  it('gets help and Markdown without colours, and nothing that turns', async () => {
    const env = { CLAUDECODE: '1' };
    expect((await run('chat --help', { ...onTerminal, env })).stdout).toMatch(/^Usage: svc chat/);
    const answer = await run('--local chat -m local/echo "**hi**"', { ...onTerminal, env });
    const stderr = '2 in, 2 out tokens · 0.00008 RUB · balance 1,000.00 RUB\n';
    expect(answer).toMatchObject({ stdout: '**hi**\n', stderr, code: 0 });
  });

  it('is asked nothing, and is shown what to type instead', async () => {
    const env = { CODEX_CI: '1' };
    expect(await run('login', { ...onTerminal, env })).toMatchObject({
      stderr: expect.stringContaining('\nhint: svc login --with-key '),
      code: 2,
    });
  });

  it('gets the next command in a pipe too, and no binary data on its terminal', async () => {
    const home = testFolder();
    const make = '--local generate local/canvas cat';
    const env = { SVC_LOCAL_JOB_TIME: '0s' };
    const silent = await run(`${make} --no-wait`, { home, env });
    expect(silent.stderr).not.toContain('svc');
    const { stdout, stderr } = await run('--local generate local/canvas dog --no-wait', {
      home,
      env: { ...env, AI_AGENT: 'x' },
    });
    expect(stderr).toContain(`to wait for it: svc --local jobs wait ${stdout}`);
    const jobs = (options: RunOptions) => run('--local jobs list', { home, ...options });
    await jobs({});
    const hint = 'svc --local jobs download --all\n';
    expect((await jobs({})).stderr).not.toContain(hint);
    expect((await jobs({ env: { AI_AGENT: 'x' } })).stderr).toContain(hint);
    expect((await jobs({ env: { AI_AGENT: 'x' } })).stdout).toBe((await jobs({})).stdout);
    const toScreen = await run(`${make} -o -`, { ...onTerminal, env: { AI_AGENT: 'x' } });
    expect(toScreen).toMatchObject({ stdout: '', code: 2 });
  });

  it('gets what people get after SVC_AGENT=off, as where CODEX_HOME is set', async () => {
    const people = await run(list, onTerminal);
    expect(people.stdout).toMatch(/^\u001b\[1mMODEL /);
    const env = { CLAUDECODE: '1', SVC_AGENT: 'off' };
    expect(await run(list, { ...onTerminal, env })).toEqual(people);
    expect(await run(list, { ...onTerminal, env: { CODEX_HOME: '/x' } })).toEqual(people);
  });
});
