import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeWith } from '../../helpers/config-home.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { begun, state } from '../jobs/begun.js';
import { found } from './found.js';

it('svc doctor warns of a file, and of a folder, that others may read', async () => {
  const home = homeWith({});
  chmodSync(join(home, 'config.json'), 0o644);
  mkdirSync(join(home, 'data'), { mode: 0o700 });
  chmodSync(join(home, 'data'), 0o755);
  expect(await found({ home }, '--local doctor')).toEqual({
    code: 0,
    rows: [
      `config\twarning\tother users may read ${home}/config.json\tchmod 600 ${home}/config.json`,
      `data\twarning\tother users may read ${home}/data\tchmod 700 ${home}/data`,
    ],
  });
});

it('svc doctor warns of the folder and the file at once', async () => {
  const home = homeWith({});
  chmodSync(home, 0o755);
  chmodSync(join(home, 'config.json'), 0o644);
  const { rows } = await found({ home }, '--local doctor');
  expect(rows).toEqual([
    `config\twarning\tother users may read ${home} and ${home}/config.json\tchmod 700 ${home} && chmod 600 ${home}/config.json`,
  ]);
});

it('svc doctor warns of jobs that run, or whose results are not downloaded', async () => {
  const at = await begun('one', 'two');
  expect((await at.svc('doctor')).stdout).toContain(
    '\nunfinished\twarning\t2 jobs in progress\tsvc jobs wait --all\n',
  );
  state(at, 1, { status: 'processing' });
  await at.svc('jobs list');
  expect((await at.svc('doctor')).stdout).toContain(
    '\nunfinished\twarning\t1 job in progress, 1 job to download\tsvc jobs wait --all; svc jobs download --all\n',
  );
});

it('svc doctor warns of a paid request without an answer', async () => {
  const home = testFolder();
  const { env } = await fakeService((seen, response) => {
    if (seen.method === 'POST') response.destroy();
    else json({ balance_rub: 1 })(seen, response);
  });
  const spoken = await run(['speak', 'hi', '-m', 'v/voice', '-o', `${home}/hi.mp3`], {
    home,
    env,
  });
  expect(spoken.code).toBe(10);
  const { stdout } = await run('doctor', { home, env });
  expect(stdout).toContain('\nunfinished\twarning\t1 request without an answer\tsvc usage list\n');
});

describe.runIf(canMount)('svc doctor warns of a disk, and checks the network all the same,', () => {
  it('warns of a full disk', async () => {
    const { env } = await fakeService(json({ balance_rub: 1 }));
    const home = smallDisk(2048);
    writeFileSync(join(home, 'large'), Buffer.alloc(1500 * 1024));
    const full = `warning\tthe disk of ${home} is full\tfree some space: df -h ${home}`;
    expect(await found({ home, env })).toEqual({
      code: 0,
      rows: [`config\t${full}`, `data\t${full}`],
    });
  });

  it('warns of a read-only disk', async () => {
    const { env, requests } = await fakeService(json({ balance_rub: 1 }));
    const home = smallDisk(4096);
    spawnSync('mount', ['-o', 'remount,ro', home]);
    const hint = 'make it writable, or set SVC_CONFIG_DIR to another folder';
    const readOnly = `warning\tsvc cannot write to ${home}: the disk is read-only\t${hint}`;
    expect(await found({ home, env })).toEqual({
      code: 0,
      rows: [`config\t${readOnly}`, `data\t${readOnly}`],
    });
    expect(requests).toHaveLength(1);
  });
});

it('svc doctor finds a ledger that is damaged', async () => {
  const home = testFolder();
  mkdirSync(join(home, 'data'));
  writeFileSync(join(home, 'data/state.db'), 'this is no database '.repeat(200), { mode: 0o600 });
  chmodSync(join(home, 'data'), 0o700);
  expect(await found({ home }, '--local doctor')).toEqual({
    code: 11,
    rows: [expect.stringMatching(/^unfinished\tproblem\tthe job ledger .*: it is damaged\t/)],
  });
});
