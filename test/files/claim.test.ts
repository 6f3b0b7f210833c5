import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimOnly, claimPart, removeLeftovers, type Takes } from '../../src/files/claim.js';
import { testFolder } from '../helpers/folder.js';
import { deadNote, leftPart } from './left-part.js';

const source = { id: 'thing', etag: '"v1"', length: 100 };

const takesAll = () => true;
const anyName = { kind: 'folder', folder: '' } as const;

const left = (path: string, owner = {}, note = {}) =>
  leftPart(path, 'half', { owner, note: { source, ...note } });

async function claimed(path: string, takes: Takes = takesAll) {
  const claim = await claimPart(path, takes, anyName);
  await claim.handle.close();
  return { name: basename(claim.partPath), source: claim.source, claim };
}

describe('a part file', () => {
  it('in use is not taken, and the next gets the next number', async () => {
    const path = join(testFolder(), 'a.png');
    const names = [];
    for (let nth = 0; nth < 3; nth += 1) names.push((await claimed(path)).name);
    expect(names).toEqual(['a.png.part', 'a-2.png.part', 'a-3.png.part']);
  });

  it('that was left behind is taken, with its source', async () => {
    const path = join(testFolder(), 'a.png');
    const { claim } = await claimed(path);
    await claim.note(source);
    writeFileSync(claim.partPath, 'half');
    expect(await claim.leave()).toBe(4);
    expect(await claimed(path)).toMatchObject({ name: 'a.png.part', source });
  });

  it('with bytes that cannot be continued stays unchanged', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    const asked: unknown[] = [];
    const { name } = await claimed(path, (of) => {
      asked.push(of);
      return false;
    });
    expect([name, asked]).toEqual(['a-2.png.part', [source]]);
    expect(await claimed(path)).toMatchObject({ name: 'a.png.part', source });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a run of the system that is over', { boot: 'before', pid: 1 }, 'a.png.part'],
    ['an earlier process of our number', { pid: process.pid }, 'a.png.part'],
    ['a process that runs', { pid: process.ppid }, 'a-2.png.part'],
    ['a machine that cannot be seen', { boot: 'other', machine: 'other' }, 'a-2.png.part'],
    ['this machine under an earlier name', { host: 'before' }, 'a.png.part'],
  ])('of %s is taken when its owner is gone', async (_, changes, expected) => {
    const path = join(testFolder(), 'a.png');
    await left(path, changes);
    expect((await claimed(path)).name).toBe(expected);
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('half');
  });

  it('is taken by one of many that want it at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const path = join(testFolder(), 'a.png');
      await left(path);
      const all = await Promise.all(Array.from({ length: 8 }, () => claimed(path)));
      expect(new Set(all.map(({ name }) => name)).size).toBe(8);
      expect(all.filter((one) => one.source)).toHaveLength(1);
      expect(all.find((one) => one.source)?.name).toBe('a.png.part');
      expect(readdirSync(join(path, '..'))).toHaveLength(16);
    }
  });

  it('of another program is not taken', async () => {
    const path = join(testFolder(), 'a.png');
    writeFileSync(`${path}.part`, 'theirs');
    expect((await claimed(path, (of) => of !== undefined)).name).toBe('a-2.png.part');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('theirs');
    expect(existsSync(`${path}.part.json`)).toBe(false);
  });

  it.each(['', '{"svc":1}'])('with the note %j is not taken', async (note) => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    writeFileSync(`${path}.part.json`, note);
    expect((await claimed(path)).name).toBe('a-2.png.part');
    expect(readFileSync(`${path}.part.json`, 'utf8')).toBe(note);
  });

  it('that is also the complete file is left alone', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    linkSync(`${path}.part`, path);
    const claim = await claimPart(path, () => false, anyName);
    await claim.handle.writeFile('new');
    await claim.handle.close();
    expect(readFileSync(path, 'utf8')).toBe('half');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('new');
  });

  it('that is a link to another file is not written through', async () => {
    const path = join(testFolder(), 'a.png');
    writeFileSync(`${path}.secret`, 'mine');
    symlinkSync(`${path}.secret`, `${path}.part`);
    expect((await claimed(path, (of) => of !== undefined)).name).toBe('a-2.png.part');
    await expect(claimPart(path, takesAll, anyName)).rejects.toMatchObject({
      name: 'LocalFileError',
    });
    const forged = join(testFolder(), 'a.png');
    await left(`${forged}.x`);
    symlinkSync(`${forged}.x.part`, `${forged}.part`);
    writeFileSync(`${forged}.part.json`, readFileSync(`${forged}.x.part.json`));
    await expect(claimPart(forged, takesAll, anyName)).rejects.toMatchObject({
      name: 'LocalFileError',
    });
    expect(readFileSync(`${forged}.x.part`, 'utf8')).toBe('half');
  });

  it('of a complete file is removed, unless it is in use', async () => {
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

describe('a part file whose successor', () => {
  it('was killed before taking over has another successor', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    const successor = `${path}.part.json.gone`;
    writeFileSync(successor, await deadNote({ note: { claim: 'heir', source } }));
    // And so was the successor of that one.
    writeFileSync(`${successor}.heir`, await deadNote({ note: { claim: 'third', source } }));
    const all = await Promise.all(Array.from({ length: 4 }, () => claimOnly(path, takesAll)));
    const got = all.filter((one) => typeof one !== 'string');
    expect(got).toHaveLength(1);
    expect(got[0]?.source).toEqual(source);
    await got[0]?.leave();
    expect(readdirSync(join(path, '..')).sort()).toEqual(['a.png.part', 'a.png.part.json']);
  });

  it('is alive is not taken', async () => {
    const path = join(testFolder(), 'a.png');
    await left(path);
    const note = await deadNote({ owner: { pid: process.ppid }, note: { claim: 'heir' } });
    writeFileSync(`${path}.part.json.gone`, note);
    expect(await claimOnly(path, takesAll)).toBe('in use');
  });
});
