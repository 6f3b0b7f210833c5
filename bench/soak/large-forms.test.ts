import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { keys } from '../../test/service/helpers.js';
import { serving } from './hostile-serving.js';
import { images, report } from '../../test/service/tickets/helpers.js';

const mb = 1024 * 1024;

it('large forms are not held in memory, however many come at once', async () => {
  const service = await serving({ storePath: join(testFolder(), 'local.sqlite') });
  const before = service.peakMemoryMib();
  const file = new Blob([images.png, Buffer.alloc(10 * mb - images.png.length)]);
  const send = async (n: number) => {
    const body = new FormData();
    body.set('subject', `Large ${n}`);
    body.set('message', report.message);
    for (let i = 0; i < 5; i += 1) body.append('files', file, 'a.png');
    const headers = { authorization: `Bearer ${keys.local}` };
    return (await fetch(`${service.url}/v1/tickets`, { method: 'POST', headers, body })).status;
  };
  expect(await Promise.all([0, 1, 2].map(send))).toEqual([201, 201, 201]);
  // Together they are 150 MB; what is left is the garbage of the streams, more on newer Nodes.
  expect(service.peakMemoryMib() - before).toBeLessThan(100);
}, 60_000);
