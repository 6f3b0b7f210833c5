// Loaded before svc (node --import): for each file and folder, a note in SYNC_NOTES says how much
// of it is on the disk. test/helpers/power-failure.ts takes the rest away.
import fs from 'node:fs';
import { join } from 'node:path';

const folder = process.env['SYNC_NOTES'] ?? '';
let begun = 0;
/** By path: which sync the last note is about. Another one may begin earlier and end later. */
const noted = new Map();

/** What a sync that begins now will have put on the disk when it ends. */
function noteOf(handle) {
  const stats = fs.fstatSync(handle);
  const content = stats.isDirectory()
    ? fs.readdirSync(fs.readlinkSync(`/proc/self/fd/${handle}`)).join('\n')
    : String(stats.size);
  // An inode of a removed file is used again.
  const path = join(folder, `${stats.ino}-${stats.birthtimeMs}`);
  const nth = (begun += 1);
  return () => {
    if (nth < (noted.get(path) ?? 0)) return;
    noted.set(path, nth);
    // A kill leaves the earlier note whole.
    fs.writeFileSync(`${path}.new`, content);
    fs.renameSync(`${path}.new`, path);
  };
}

for (const name of ['fsync', 'fdatasync']) {
  const { [name]: sync, [`${name}Sync`]: syncNow } = fs;
  fs[name] = (handle, done) => {
    const note = noteOf(handle);
    sync(handle, (error) => {
      if (!error) note();
      done(error);
    });
  };
  fs[`${name}Sync`] = (handle) => {
    const note = noteOf(handle);
    syncNow(handle);
    note();
  };
}

const file = await fs.promises.open(import.meta.filename);
const methods = Object.getPrototypeOf(file);
for (const name of ['sync', 'datasync']) {
  const { [name]: sync } = methods;
  methods[name] = async function () {
    const note = noteOf(this.fd);
    await sync.call(this);
    note();
  };
}
await file.close();
