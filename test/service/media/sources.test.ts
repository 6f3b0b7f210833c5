import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { brandFrom } from '../../../src/contract/brand.js';
import { Folder } from '../../../src/service/folder.js';
import { makeMediaHouse } from '../../../src/service/media/house.js';
import { keepInline } from '../../../src/service/media/sources.js';
import { mediaFiles } from '../../../src/service/store/tables.js';
import { openStore } from '../../../src/service/store/store.js';
import { testFolder } from '../../helpers/folder.js';
import { FakeClock } from '../helpers.js';

/** Every store begins with this account. */
const accountId = 'local';

const references = (['image', 'audio'] as const).map((kind) => ({
  kind,
  form: 'base64' as const,
  field: `opts.${kind}_base64`,
  value: 'QUJD',
}));
const opts = { image_base64: 'QUJD', audio_base64: 'QUJD', loud: true };

function house() {
  const storePath = join(testFolder(), 'local.sqlite');
  const store = openStore({
    path: storePath,
    brand: brandFrom('svc'),
    openingMicroRub: 0,
    nowMs: 0,
  });
  onTestFinished(() => {
    store.close();
  });
  const ids = ['one', 'two'];
  const folder = new Folder(storePath, () => 'part');
  const media = makeMediaHouse(folder, {});
  return { store, media, clock: new FakeClock(), newId: () => ids.shift() ?? '' };
}

it('keeps all that came inside a request, and removes all of it again', async () => {
  const opened = house();
  const shelf = join(opened.media.folder.pathOf('files', 'any'), '..');
  const kept = await keepInline(opened, accountId, opts, references);
  expect(kept.opts).toEqual({ image_file_id: 'file_one', audio_file_id: 'file_two', loud: true });
  expect(readdirSync(shelf).sort()).toEqual(['file_one', 'file_two']);
  expect(mediaFiles.find(opened.store, { accountId, id: 'file_two' })).toMatchObject({ byteLength: 3 });
  await kept.undo();
  expect(readdirSync(shelf)).toEqual([]);
  expect(mediaFiles.find(opened.store, { accountId, id: 'file_one' })).toBeUndefined();
});

it('keeps nothing of a request of which one file cannot be kept', async () => {
  const opened = house();
  const inTheWay = opened.media.folder.pathOf('files', 'file_two');
  mkdirSync(inTheWay, { recursive: true });
  await expect(keepInline(opened, accountId, opts, references)).rejects.toThrow('EISDIR');
  expect(readdirSync(join(inTheWay, '..'))).toEqual(['file_two']);
  expect(mediaFiles.find(opened.store, { accountId, id: 'file_one' })).toBeUndefined();
});
