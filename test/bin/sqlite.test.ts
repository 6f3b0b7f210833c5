import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { front } from '../helpers/front.js';
import { gate } from '../helpers/gate.js';
import { areTwo, isOfNode, withEngine } from './engines.js';

// An older Node has only libsql, which all other tests use there.
describe.runIf(areTwo).each([
  ['own', 'libsql'],
  ['libsql', 'own'],
] as const)('what svc writes with %s is read with %s', (one, other) => {
  it('as turns, a search in them, and the records of the embedded service', async () => {
    const env = { SVC_CONFIG_DIR: testFolder() };
    const [writer, reader] = [await withEngine(one, env), await withEngine(other, env)];
    expect((await writer.run('--local chat -m local/echo first')).stdout).toBe('first\n');
    expect((await reader.run('--local chat -c second')).stdout).toBe('second\n');
    const turns: unknown = JSON.parse((await writer.run('logs list --json')).stdout);
    expect(turns).toMatchObject([{ answer: 'second' }, { answer: 'first' }]);
    expect((await reader.run('logs list fir --json')).stdout).toContain('"answer": "first"');
    const usage = '--local usage list --json';
    expect((await writer.run(usage)).stdout).toBe((await reader.run(usage)).stdout);
  });

  it('as jobs that are collected, and paid once: of a process that was killed, or did not wait', async () => {
    const at = await front({ jobTimeMs: 0 });
    const home = testFolder();
    const env = { ...at.env, SVC_CONFIG_DIR: home, SVC_BUDGET: '100' };
    const [writer, reader] = [await withEngine(one, env), await withEngine(other, env)];
    const file = join(home, 'a.png');
    const line = `generate local/canvas lighthouse --opt quality=draft -o ${file}`;
    const arrived = gate();
    at.on('media.generate', { first: arrived.open, delayMs: Infinity, times: 1 });
    const { child, ended } = await writer.start(line);
    await arrived.opened;
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(join(home, 'data', 'state.db-wal'))).toBe(true);
    const budgetOf = async ({ run }: typeof reader): Promise<unknown> =>
      JSON.parse((await run('budget --json')).stdout);
    expect(await budgetOf(reader)).toMatchObject({ day: { spentRub: 0, reservedRub: 0.6 } });
    const resumed = await reader.run(line);
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('resuming')]);
    expect(statSync(file).size).toBeGreaterThan(10_000);
    await writer.run('generate local/canvas harbour --opt quality=draft --no-wait');
    expect((await reader.run(`jobs wait --all -o ${file} --force`)).code).toBe(0);
    const listed: unknown = JSON.parse((await writer.run('jobs list --json')).stdout);
    const job = { state: 'done', files: [{ path: file }] };
    expect(listed).toMatchObject([job, job]);
    expect(await budgetOf(writer)).toMatchObject({ day: { spentRub: 1.2, reservedRub: 0 } });
    expect(await at.ask('GET', '/v1/balance')).toMatchObject({ balance_rub: 998.8 });
  });
});

/** Says which native parts are loaded, and warns of node:sqlite as Node 22 does. */
const hook = `
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (id) => {
    if (id === 'node:sqlite') process.emitWarning('SQLite is experimental');
    return getBuiltinModule(id);
  };
  process.on('exit', () => {
    const native = Object.keys(require.cache).filter((path) => path.endsWith('.node'));
    process.stderr.write(native.length + ' native parts');
  });
  setImmediate(() => process.emitWarning('Another warning'));`;

it.runIf(isOfNode)('uses the SQLite of Node alone and in silence', async () => {
  const path = join(testFolder(), 'hook.cjs');
  writeFileSync(path, hook);
  const env = { SVC_CONFIG_DIR: testFolder(), NODE_OPTIONS: `--require ${path}` };
  const said = async (engine: 'own' | 'libsql') =>
    (await (await withEngine(engine, env)).run('--local balance')).stderr;
  expect(await said('own')).toMatch(/^\(node:\d+\) Warning: Another warning\n.*\n0 native parts$/);
  expect(await said('libsql')).toMatch(/\n1 native parts$/);
});
