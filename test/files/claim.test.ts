import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimPart, removeLeftovers } from '../../src/files/claim.js';
import { newOwner } from '../../src/files/owner.js';
import { testFolder } from '../helpers/folder.js';

const source = { id: 'thing', etag: '"v1"', length: 100 };

/** A process that is gone. */
const deadPid = Number(spawnSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).stdout);

async function left(path: string, changes: Record<string, unknown> = {}, note = {}) {
  const owner = { ...(await newOwner()), began: undefined, id: 'gone', pid: deadPid, ...changes };
  const about = { svc: 'part of a download', claim: 'gone', owner, source, ...note };
  writeFileSync(`${path}.part`, 'half');
  writeFileSync(`${path}.part.json`, JSON.stringify(about));
}

async function claimed(path: string) {
  const claim = await claimPart(path);
  await claim.handle.close();
  return { name: basename(claim.partPath), source: claim.source, claim };
}

describe('a part file', () => {
  it('is made where there is none, with a note for its owner alone', async () => {
    const path = join(testFolder(), 'a.png');
    const { name, source: none, claim } = await claimed(path);
    expect([name, none]).toEqual(['a.png.part', undefined]);
    await claim.note(source);
    const note: unknown = JSON.parse(readFileSync(`${path}.part.json`, 'utf8'));
    expect(note).toMatchObject({ source, owner: { pid: process.pid, host: hostname() } });
    expect(readdirSync(join(path, '..')).sort()).toEqual(['a.png.part', 'a.png.part.json']);
  });

  it('that somebody has is not taken, and the next gets the next number', async () => {
    const path = join(testFolder(), 'a.png');
    const names = [];
    for (let nth = 0; nth < 3; nth += 1) names.push((await claimed(path)).name);
    expect(names).toEqual(['a.png.part', 'a-2.png.part', 'a-3.png.part']);
  });

  it('that was let go is taken, with what it was a part of', async () => {
    const path = join(testFolder(), 'a.png');
    const { claim } = await claimed(path);
    await claim.note(source);
    await claim.letGo();
    expect(await claimed(path)).toMatchObject({ name: 'a.png.part', source });
  });

  it('leaves nothing behind when it has ended', async () => {
    const path = join(testFolder(), 'a.png');
    const { claim } = await claimed(path);
    await claim.note(source);
    await claim.end();
    expect(readdirSync(join(path, '..'))).toEqual(['a.png.part']);
  });

  it('of a process that is gone is taken', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    expect(await claimed(path)).toMatchObject({ name: 'a.png.part', source });
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('half');
  });

  it.each<[string, Record<string, unknown>]>([
    ['a run of the system that is over', { boot: 'before', pid: 1 }],
    ['an earlier process of our number', { pid: process.pid }],
  ])('of %s is taken', async (_, changes) => {
    const path = join(testFolder(), 'a.png');
    await left(path, changes);
    expect((await claimed(path)).name).toBe('a.png.part');
  });

  it.each<[string, Record<string, unknown>]>([
    ['a process that runs', { pid: process.ppid }],
    ['a process that runs and is not ours', { pid: 1 }],
    ['another machine', { host: 'elsewhere' }],
    ['another run of another machine', { host: 'elsewhere', boot: 'x' }],
  ])('of %s is not taken', async (_, changes) => {
    const path = join(testFolder(), 'a.png');
    await left(path, changes);
    expect((await claimed(path)).name).toBe('a-2.png.part');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('half');
  });

  it('is taken by one of many that want it at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = join(testFolder(), 'a.png');
      await left(path);
      const all = await Promise.all(Array.from({ length: 8 }, () => claimed(path)));
      expect(new Set(all.map(({ name }) => name)).size).toBe(8);
      expect(all.filter((one) => one.source)).toHaveLength(1);
      const { name } = all.find((one) => one.source) ?? {};
      expect(name).toBe('a.png.part');
      expect(readdirSync(join(path, '..'))).toHaveLength(16);
    }
  });

  it('of another program is not taken', async () => {
    const path = join(testFolder(), 'a.png');
    writeFileSync(`${path}.part`, 'theirs');
    expect((await claimed(path)).name).toBe('a-2.png.part');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('theirs');
    expect(existsSync(`${path}.part.json`)).toBe(false);
  });

  it.each(['', 'no JSON', '{"svc":1}', '[]'])('with the note %j is not taken', async (note) => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    writeFileSync(`${path}.part.json`, note);
    expect((await claimed(path)).name).toBe('a-2.png.part');
    expect(readFileSync(`${path}.part.json`, 'utf8')).toBe(note);
  });

  it('that has its name already is left to it', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    linkSync(`${path}.part`, path);
    const claim = await claimPart(path);
    await claim.handle.writeFile('new');
    await claim.handle.close();
    expect(readFileSync(path, 'utf8')).toBe('half');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('new');
  });

  it('that is a link to another file is not written through', async () => {
    const path = join(testFolder(), 'a.png');
    writeFileSync(`${path}.secret`, 'mine');
    symlinkSync(`${path}.secret`, `${path}.part`);
    expect((await claimed(path)).name).toBe('a-2.png.part');
    const forged = join(testFolder(), 'a.png');
    await left(`${forged}.x`);
    symlinkSync(`${forged}.x.part`, `${forged}.part`);
    writeFileSync(`${forged}.part.json`, readFileSync(`${forged}.x.part.json`));
    await expect(claimPart(forged)).rejects.toMatchObject({ name: 'LocalFileError' });
    expect(readFileSync(`${forged}.x.part`, 'utf8')).toBe('half');
  });

  it('is not made where it cannot be', async () => {
    const path = join(testFolder(), 'none', 'a.png');
    await expect(claimPart(path)).rejects.toThrow(
      `cannot write ${path}: there is no such file or folder`,
    );
  });

  it('of something that is here whole goes, when nobody is at it', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    await left(join(path, '../a-2.png'), { pid: process.ppid });
    await left(join(path, '../a-3.png'), {}, { source: { id: 'another thing' } });
    await left(join(path, '../a-5.png'));
    await removeLeftovers(path, source.id);
    const parts = readdirSync(join(path, '..')).filter((name) => name.endsWith('.part'));
    expect(parts.sort()).toEqual(['a-2.png.part', 'a-3.png.part']);
    expect(readdirSync(join(path, '..'))).toHaveLength(4);
  });
});
