import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PartFile } from '../../src/files/part-file.js';
import { testFolder } from '../helpers/folder.js';
import { leftPart } from './left-part.js';

const fresh = { replace: false, resume: false };
const replacing = { replace: true, resume: false };
const resuming = { replace: false, resume: true };
const named = () => join(testFolder(), 'rows');

it('a file of rows has its name only when it is whole', async () => {
  const path = named();
  const file = await PartFile.openRows(path, fresh);
  await file.write('head----row');
  await file.overwrite(Buffer.from('HEAD'), 0);
  expect(file.bytes).toBe(11);
  expect(await file.read(2, 100)).toEqual(Buffer.from('AD----row'));
  expect(existsSync(path)).toBe(false);
  await file.finish();
  expect(readFileSync(path, 'utf8')).toBe('HEAD----row');
  expect(existsSync(file.partPath)).toBe(false);
});

describe('a file of rows that another process', () => {
  const every = [fresh, replacing, resuming];

  it.each(every)('is using is refused in one sentence, and stays unchanged (%o)', async (rules) => {
    const path = named();
    const file = await PartFile.openRows(path, fresh);
    await file.write(Buffer.from('row'));
    await expect(PartFile.openRows(path, rules)).rejects.toMatchObject({
      message: `another svc is writing ${path}.part`,
      code: 'in_use',
      hint: 'wait for it, or choose another name',
    });
    await file.write(Buffer.from('row'));
    await file.finish();
    expect(readFileSync(path, 'utf8')).toBe('rowrow');
    expect(readdirSync(join(path, '..'))).toEqual(['rows']);
  });

  it('was writing when killed is continued, dropped or refused as requested', async () => {
    const path = named();
    await leftPart(path, 'row');
    await expect(PartFile.openRows(path, fresh)).rejects.toMatchObject({
      message: `${path}.part is left from an earlier run`,
      hint: 'continue it with --resume, or start over with --force',
    });
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('row');
    const resumed = await PartFile.openRows(path, resuming);
    expect(resumed.bytes).toBe(3);
    expect(await resumed.abandon()).toEqual({ keptBytes: 3 });
    await leftPart(path, 'row');
    const restarted = await PartFile.openRows(path, replacing);
    expect(restarted.bytes).toBe(0);
    expect(await restarted.abandon()).toEqual({ keptBytes: 0 });
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('on another machine may be using says how to be sure', async () => {
    const path = named();
    await leftPart(path, 'row', { owner: { boot: 'other', machine: 'other' } });
    await expect(PartFile.openRows(path, resuming)).rejects.toMatchObject({
      message: `another svc may be writing ${path}.part, on another machine`,
      code: 'in_use',
      hint: `wait for it, or choose another name; if none is running, remove ${path}.part.json`,
    });
    rmSync(`${path}.part.json`);
    const file = await PartFile.openRows(path, resuming);
    expect(file.bytes).toBe(3);
    await file.finish();
  });

  it.each(every)('left of a download is not touched (%o)', async (rules) => {
    const path = named();
    await leftPart(path, 'row', { note: { source: { id: 'thing', etag: '"v1"' } } });
    await expect(PartFile.openRows(path, rules)).rejects.toMatchObject({
      message: `${path}.part belongs to another file`,
      code: 'foreign_part',
    });
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('row');
  });
});
