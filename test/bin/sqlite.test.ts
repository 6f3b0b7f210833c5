import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { versions } from 'node:process';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { svc } from './svc.js';

const [major = 0, minor = 0] = versions.node.split('.').map(Number);
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

// An older Node has only libsql, which all other tests use there.
it.runIf(major > 23 || (major === 22 && minor > 15))(
  'uses the SQLite of Node alone and in silence, and shares its files with libsql',
  async () => {
    const env = { SVC_CONFIG_DIR: testFolder() };
    const path = join(testFolder(), 'hook.cjs');
    writeFileSync(path, hook);
    const withFlags = (nodeFlags: string[]) => (line: string) =>
      svc(line.split(' '), { env, nodeFlags: ['--require', path, ...nodeFlags] });
    const [own, libsql] = [withFlags([]), withFlags(['--no-experimental-sqlite'])];
    for (const [writer, reader] of [
      [own, libsql],
      [libsql, own],
    ] as const) {
      expect((await writer('--local chat -m local/echo first')).stdout).toBe('first\n');
      expect((await reader('--local chat -c second')).stdout).toBe('second\n');
      const turns = JSON.parse((await writer('logs list --limit 2 --json')).stdout);
      expect(turns).toMatchObject([{ answer: 'second' }, { answer: 'first' }]);
      expect((await reader('logs list fir --json')).stdout).toContain('"answer": "first"');
      const usage = '--local usage list --json';
      expect((await writer(usage)).stdout).toBe((await reader(usage)).stdout);
    }
    const { stderr } = await own('--local balance');
    expect(stderr).toMatch(/^\(node:\d+\) Warning: Another warning\n.*\n0 native parts$/);
    expect((await libsql('--local balance')).stderr).toMatch(/\n1 native parts$/);
  },
);
