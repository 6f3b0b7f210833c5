/** A process that takes a part file, notes, writes and leaves it, again and again, until it is killed. */
import { writeSync } from 'node:fs';
import { claimOnly } from '../../src/files/claim.js';

const [path = ''] = process.argv.slice(2);

async function run(): Promise<void> {
  writeSync(1, 'ready\n');
  for (;;) {
    const claim = await claimOnly(path, () => true);
    if (typeof claim === 'string') {
      writeSync(1, `cannot have it: ${claim}\n`);
      return;
    }
    await claim.note({ id: 'thing', etag: '"v1"' });
    await claim.handle.write('bytes', 0);
    await claim.leave();
    writeSync(1, 'again\n');
  }
}

void run();
