/** What an upload of the largest size costs the memory of the service. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { keys } from '../../test/service/helpers.js';
import { open } from '../../test/service/media/helpers.js';
import { start } from '../../test/service/raw-connection.js';

it(
  'POST /v1/files accepts 200 MB over the network without holding them',
  { timeout: 60_000 },
  async () => {
    const folder = testFolder();
    const { service } = open({ storePath: join(folder, 'local.sqlite') });
    const { url } = await start(service);
    const pieceBytes = 1 << 20;
    const pieces = 200;
    const piece = Buffer.alloc(pieceBytes, 7);
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    let sent = -1;
    let most = 0;
    const before = process.memoryUsage().rss;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        most = Math.max(most, process.memoryUsage().rss - before);
        if (sent === 0) controller.enqueue(Buffer.from(head));
        else if (sent <= pieces) controller.enqueue(piece);
        else {
          controller.enqueue(Buffer.from('\r\n--b--\r\n'));
          controller.close();
        }
      },
    });
    const response = await fetch(`${url}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keys.local}`,
        'content-type': 'multipart/form-data; boundary=b',
      },
      body,
      duplex: 'half',
    });
    expect(await response.json()).toMatchObject({ bytes: pieces * pieceBytes });
    // Sender and receiver are one process here.
    expect(most).toBeLessThan(120 * 1024 * 1024);
  },
);
