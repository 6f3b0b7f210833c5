/** Forms that were made to break their reader. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { keys } from '../helpers.js';
import { serving } from '../hostile/serving.js';
import { ask, images, open, pageOf, refusedWith, report, type Opened } from './helpers.js';

const headers = { 'content-type': 'multipart/form-data; boundary=b' };
const mb = 1024 * 1024;

interface Part {
  readonly name: string;
  readonly fileName?: string;
  readonly value: string;
}

const fields: readonly Part[] = Object.entries(report).map(([name, value]) => ({ name, value }));

function head({ name, fileName }: Omit<Part, 'value'>): string {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
}

/** A form as bytes; the text is latin1. */
function form(...parts: readonly Part[]): Buffer {
  const all = parts.map((part) => `${head(part)}${part.value}\r\n`);
  return Buffer.from(`${all.join('')}--b--\r\n`, 'latin1');
}

const image: Part = { name: 'files', fileName: 'a.png', value: images.png.toString('latin1') };

function send(opened: Opened, body: Uint8Array, type = headers['content-type']) {
  return ask(opened, '/v1/tickets', { body, headers: { 'content-type': type } });
}

describe('a hostile form', () => {
  const [subject, message] = [...fields];
  if (!subject || !message) throw new Error('the report has two fields');

  it.each([
    ['a field twice', form(...fields, subject), '400 invalid_request'],
    [
      'a field that is not UTF-8',
      form(subject, { ...message, value: `${message.value}\xff\xfe` }),
      '400 invalid_request',
    ],
    [
      'a field named like a prototype',
      form(...fields, { name: '__proto__', value: 'x' }),
      '400 invalid_request',
    ],
    [
      'a list that is no list',
      form(...fields, { name: 'requestIds', value: '["a"' }),
      '400 foreign_request_id',
    ],
    [
      'an image that is no file part',
      form(...fields, { name: 'files', value: 'words' }),
      '415 unsupported_attachment_type',
    ],
  ])('is refused: %s', async (_, body, refused) => {
    const opened = open();
    expect(await refusedWith(await send(opened, body))).toBe(refused);
    expect((await pageOf(opened)).data).toEqual([]);
  });
});

describe('large forms on the line', () => {
  it('are not held in memory, however many come at once', { timeout: 60_000 }, async () => {
    const storePath = join(testFolder(), 'local.sqlite');
    const service = await serving({ storePath });
    const before = service.peakMemoryMib();
    const largest = Buffer.concat([images.png, Buffer.alloc(10 * mb - images.png.length)]);
    const file = { ...image, value: largest.toString('latin1') };
    const bodies = [0, 1, 2].map((n) =>
      form(
        { name: 'subject', value: `Large ${n}` },
        { name: 'message', value: 'x'.repeat(10) },
        file,
        file,
        file,
        file,
        file,
      ),
    );
    const answers = await Promise.all(
      bodies.map((body) =>
        fetch(`${service.url}/v1/tickets`, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${keys.local}` },
          body: new Uint8Array(body),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    // Together they are 150 MB; what is left is the garbage of the streams, more on newer Nodes.
    expect(service.peakMemoryMib() - before).toBeLessThan(100);
  });
});
