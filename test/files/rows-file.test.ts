import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RowsFile } from '../../src/files/rows-file.js';
import { testFolder } from '../helpers/folder.js';

const fresh = { replace: false, resume: false };
const named = () => join(testFolder(), 'rows');

describe('a file of rows', () => {
  it('has its name only when it is whole', async () => {
    const path = named();
    const file = await RowsFile.open(path, fresh);
    await file.append(Buffer.from('head----'));
    await file.append(Buffer.from('row'));
    await file.overwrite(Buffer.from('HEAD'), 0);
    expect(file.length).toBe(11);
    expect(await file.read(2, 100)).toEqual(Buffer.from('AD----row'));
    expect(existsSync(path)).toBe(false);
    await file.finish();
    expect(readFileSync(path, 'utf8')).toBe('HEAD----row');
    expect(existsSync(file.partPath)).toBe(false);
  });

  it('keeps what was written when it is given up, and goes when nothing was', async () => {
    const path = named();
    const file = await RowsFile.open(path, fresh);
    await file.append(Buffer.from('row'));
    await file.abandon();
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('row');
    const other = named();
    await (await RowsFile.open(other, fresh)).abandon();
    expect(existsSync(`${other}.part`)).toBe(false);
  });

  it('drops no part that it was not told to', async () => {
    const path = named();
    writeFileSync(`${path}.part`, 'old');
    await expect(RowsFile.open(path, fresh)).rejects.toThrow('.part is there');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('old');
    const resumed = await RowsFile.open(path, { replace: false, resume: true });
    await resumed.truncate(2);
    await resumed.append(Buffer.from('new'));
    await resumed.abandon();
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('olnew');
    const replaced = await RowsFile.open(path, { replace: true, resume: false });
    expect(replaced.length).toBe(0);
    await replaced.abandon();
  });

  it('begins where there is nothing to resume', async () => {
    const path = named();
    const file = await RowsFile.open(path, { replace: false, resume: true });
    await file.append(Buffer.from('row'));
    await file.finish();
    expect(readFileSync(path, 'utf8')).toBe('row');
  });

  it('takes no name that is taken, at the start or at the end', async () => {
    const path = named();
    const file = await RowsFile.open(path, fresh);
    await file.append(Buffer.from('row'));
    writeFileSync(path, 'mine');
    await expect(file.finish()).rejects.toThrow('exists');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(readFileSync(`${path}.part`, 'utf8')).toBe('row');
    await expect(RowsFile.open(path, { replace: false, resume: true })).rejects.toThrow('exists');
  });
});
