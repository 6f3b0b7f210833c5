import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys, posting, streamOf } from '../helpers.js';
import { uploaded } from '../media/helpers.js';
import {
  formOf,
  images,
  type NamedFile,
  Desk,
  DeskOnDisk,
  refusedWith,
  report,
} from './helpers.js';

const mb = 1024 * 1024;
const png: NamedFile = { bytes: images.png };

/** A PNG by its first bytes, of this length. */
function pngOf(length: number): NamedFile {
  return { bytes: Buffer.concat([images.png, Buffer.alloc(length - images.png.length, 7)]) };
}

it('an attachment is recognised by its content, whatever its name and type say, and comes back unchanged', async () => {
  const opened = new Desk();
  const files = [
    { mimeType: 'image/png', bytes: images.png, name: 'a.png' },
    { mimeType: 'image/jpeg', bytes: images.jpeg, name: 'b.gif', type: 'image/gif' },
    { mimeType: 'image/gif', bytes: images.gif, name: 'c.png', type: 'application/pdf' },
    { mimeType: 'image/webp', bytes: images.webp, name: 'd', type: 'text/html' },
  ];
  const { id } = await opened.created(formOf(report, files));
  const attachments = await opened.attachments(id);
  expect(attachments).toEqual(
    files.map(({ mimeType, bytes, name }) => ({
      id: expect.stringMatching(/^att_/),
      filename: name,
      mimeType,
      byteSize: bytes.length,
    })),
  );
  for (const [index, { id: attachmentId, mimeType }] of attachments.entries()) {
    const response = await opened.download(id, attachmentId);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(mimeType);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.equals(files[index]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
  }
});

it('an attachment is there for its owner alone, and in its own ticket alone', async () => {
  const opened = new Desk();
  const first = await opened.created(formOf(report, [png]));
  const second = await opened.created({ ...report, subject: 'another' });
  const [attachment] = await opened.attachments(first.id);
  const id = attachment?.id ?? '';
  const answers = [
    [await opened.download(first.id, id, { key: keys.sandbox }), '404 ticket_not_found'],
    [await opened.download(second.id, id), '404 attachment_not_found'],
    [await opened.download(first.id, `${id}%00`), '404 attachment_not_found'],
    [await opened.download(first.id, '..%2f..%2flocal.sqlite'), '404 attachment_not_found'],
  ] as const;
  for (const [response, refused] of answers) expect(await refusedWith(response)).toBe(refused);
  await opened.closed(first.id);
  expect((await opened.download(first.id, id)).status).toBe(200);
});

it.each([
  ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"`],
  ['a"b\\c.png', 'attachment; filename="a_'],
  ['\u001b]0;x\u0007\r\nx: y.png', 'attachment; filename="_'],
  ['снимок 🌍\u202e.png', `attachment; filename="______ ___.png"`],
  [`${'n'.repeat(300)}.png`, `attachment; filename="${'n'.repeat(255)}"`],
])('an attachment called %j does no harm in a header', async (name, disposition) => {
  const opened = new Desk();
  const { id } = await opened.created(formOf(report, [{ ...png, name }]));
  const [attachment] = await opened.attachments(id);
  const response = await opened.download(id, attachment?.id ?? '');
  const header = response.headers.get('content-disposition') ?? '';
  expect(header.startsWith(disposition), header).toBe(true);
  expect(header).toMatch(/^attachment; filename="[\w.() -]*"; filename\*=UTF-8''[\w.%~!-]+$/);
  expect(decodeURIComponent(header.split("''")[1] ?? '')).toBe(attachment?.filename);
});

describe('a file that is not an image', () => {
  it.each([
    ['a PDF named .png', Buffer.from('%PDF-1.7\n%âãÏÓ\n')],
    ['nothing at all', Buffer.alloc(0)],
    ['the start of a PNG that goes no further', images.png.subarray(0, 7)],
    ['a sound in the same wrapping as WebP', Buffer.from('RIFF\u0001\u0000\u0000\u0000WAVE')],
  ])('is refused with 415, with all that came with it: %s', async (_, bytes) => {
    const opened = new DeskOnDisk();
    const { id } = await opened.created();
    for (const [path, fields] of [
      ['/v1/tickets', { ...report, subject: 'another' }],
      [`/v1/tickets/${id}/messages`, { message: 'x' }],
    ] as const) {
      const response = await opened.ask(path, { body: formOf(fields, [png, { bytes }]) });
      expect(await refusedWith(response)).toBe('415 unsupported_attachment_type');
    }
    expect(opened.kept()).toEqual([]);
    expect((await opened.thread(id)).messages).toHaveLength(1);
  });
});

const files = (count: number) => Array.from({ length: count }, () => png);

it(
  'attachments beyond the limits are kept for their owner alone at 10 MB, and refused one byte past',
  { timeout: 30_000 },
  async () => {
    const opened = new DeskOnDisk();
    const tooLarge = formOf(report, [png, pngOf(10 * mb + 1)]);
    const response = await opened.ask('/v1/tickets', { body: tooLarge });
    expect(await refusedWith(response)).toBe('413 attachment_too_large');
    expect(opened.kept()).toEqual([]);
    const { id } = await opened.created(formOf(report, [pngOf(10 * mb)]));
    const [attachment] = await opened.attachments(id);
    expect(attachment?.byteSize).toBe(10 * mb);
    expect(opened.kept()).toEqual([attachment?.id]);
    const { size, mode } = statSync(join(opened.folder, attachment?.id ?? ''));
    expect({ size, mode: mode & 0o777 }).toEqual({ size: 10 * mb, mode: 0o600 });
    expect(statSync(opened.folder).mode & 0o777).toBe(0o700);
  },
);

it('attachments beyond the limits are five a request, and ten a ticket', async () => {
  const opened = new DeskOnDisk();
  const post = (path: string, count: number) =>
    opened.ask(path, { body: formOf({ ...report, message: 'more of it' }, files(count)) });
  expect(await refusedWith(await post('/v1/tickets', 6))).toBe('400 too_many_attachments');
  expect(opened.kept()).toEqual([]);
  const { id } = await opened.created(formOf(report, files(5)));
  const more = (count: number) =>
    opened.ask(`/v1/tickets/${id}/messages`, { body: formOf({ message: 'x' }, files(count)) });
  expect((await more(3)).status).toBe(201);
  expect(await refusedWith(await more(3))).toBe('400 too_many_attachments');
  expect((await more(2)).status).toBe(201);
  expect(await refusedWith(await more(1))).toBe('400 too_many_attachments');
  await opened.replied(id, { message: 'words are still welcome' });
  const { messages } = await opened.thread(id);
  expect(messages.map(({ attachments }) => attachments.length)).toEqual([5, 3, 2, 0]);
  expect(opened.kept()).toHaveLength(10);
  // The limit is the ticket's, not the account's.
  await opened.created(formOf({ ...report, subject: 'another' }, files(5)));
});

it('the files of tickets do not outlive a report that is refused, repeats another or comes beyond the pace', async () => {
  const opened = new DeskOnDisk();
  const send = async (fields: Parameters<typeof formOf>[0]) =>
    (await opened.ask('/v1/tickets', { body: formOf(fields, [png]) })).status;
  expect(await send({ ...report, subject: 'x' })).toBe(400);
  expect(await send({ ...report, requestIds: 'req_x' })).toBe(400);
  expect(await send({ ...report, zebra: 'x' })).toBe(400);
  await opened.created();
  expect(await send(report)).toBe(200);
  for (let i = 1; i < 10; i += 1) await opened.created({ ...report, subject: `Report ${i}` });
  expect(await send({ ...report, subject: 'Report 10' })).toBe(429);
  expect(opened.kept()).toEqual([]);
});

it('the files of tickets do not outlive a connection that drops within them', async () => {
  const opened = new DeskOnDisk();
  const head = [
    '--b\r\ncontent-disposition: form-data; name="files"; filename="a.png"\r\n\r\n',
    images.png.toString('latin1'),
    '\r\n--b\r\ncontent-disposition: form-data; name="files"; filename="b.png"\r\n\r\n',
    images.png.toString('latin1'),
  ].join('');
  const body = streamOf((nth) => {
    if (nth > 1) throw new Error('the line dropped');
    return Buffer.from(head, 'latin1');
  });
  const type = 'multipart/form-data; boundary=b';
  const headers = { authorization: `Bearer ${keys.local}`, 'content-type': type };
  const response = await opened.service.fetch(posting(body, headers, '/v1/tickets'));
  expect(response.ok).toBe(false);
  expect(opened.kept()).toEqual([]);
});

it('the files of tickets that a killed process left behind are removed when they are old', async () => {
  const opened = new DeskOnDisk();
  const { id } = await opened.created(formOf(report, [png]));
  const [known = ''] = opened.kept();
  const old = new Date(Date.now() - 2 * 3_600_000);
  const leave = (name: string, at: Date) => {
    writeFileSync(join(opened.folder, name), 'x');
    utimesSync(join(opened.folder, name), at, at);
  };
  utimesSync(join(opened.folder, known), old, old);
  leave('att_other.x.part', old);
  leave('att_young.x.part', new Date());
  const next = new Desk({ storePath: opened.storePath });
  // Whatever else it writes first.
  await uploaded(next, images.gif);
  await next.replied(id, formOf({ message: 'x' }, [png]));
  const attachments = (await next.attachments(id)).map((attachment) => attachment.id);
  expect(attachments).toHaveLength(2);
  expect(opened.kept().sort()).toEqual([...attachments, 'att_young.x.part'].sort());
  expect((await next.download(id, known)).status).toBe(200);
});

it('the files of tickets that somebody has removed are not found', async () => {
  const opened = new DeskOnDisk();
  const { id } = await opened.created(formOf(report, [png]));
  const [known = ''] = opened.kept();
  rmSync(join(opened.folder, known));
  expect(await refusedWith(await opened.download(id, known))).toBe('404 attachment_not_found');
});
