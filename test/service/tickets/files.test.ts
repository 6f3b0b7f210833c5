/** The files of tickets on disk: none is lost, and none stays that no ticket has. */
import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys } from '../helpers.js';
import { uploaded } from '../media/helpers.js';
import {
  ask,
  attachmentsOf,
  created,
  download,
  formOf,
  images,
  open,
  openOnDisk,
  refusedWith,
  repeated,
  replied,
  report,
  type NamedFile,
} from './helpers.js';

const png: NamedFile = { bytes: images.png };

describe('the files of tickets', () => {
  it('are whole on disk, for their owner alone', async () => {
    const opened = openOnDisk();
    const { id } = await created(opened, formOf(report, [png]));
    const [attachment] = await attachmentsOf(opened, id);
    expect(opened.kept()).toEqual([attachment?.id]);
    expect(statSync(join(opened.folder, attachment?.id ?? '')).mode & 0o777).toBe(0o600);
    expect(statSync(opened.folder).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['is refused for a field', { ...report, subject: 'x' }, 400],
    ['is refused for a foreign request', { ...report, requestIds: 'req_x' }, 400],
    ['has an unknown field', { ...report, zebra: 'x' }, 400],
  ])('do not outlive a report that %s', async (_, fields, status) => {
    const opened = openOnDisk();
    const response = await ask(opened, '/v1/tickets', { body: formOf(fields, [png]) });
    expect(response.status).toBe(status);
    expect(opened.kept()).toEqual([]);
  });

  it('do not outlive a report that only repeats another, or comes beyond the pace', async () => {
    const opened = openOnDisk();
    await created(opened);
    await repeated(opened, formOf(report, [png]));
    for (let i = 1; i < 10; i += 1) await created(opened, { ...report, subject: `Report ${i}` });
    const eleventh = formOf({ ...report, subject: 'Report 10' }, [png]);
    expect((await ask(opened, '/v1/tickets', { body: eleventh })).status).toBe(429);
    expect(opened.kept()).toEqual([]);
  });

  it('do not outlive a line that drops within them', async () => {
    const opened = openOnDisk();
    const head = [
      '--b\r\ncontent-disposition: form-data; name="files"; filename="a.png"\r\n\r\n',
      images.png.toString('latin1'),
      '\r\n--b\r\ncontent-disposition: form-data; name="files"; filename="b.png"\r\n\r\n',
      images.png.toString('latin1'),
    ].join('');
    let sent = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent) controller.error(new Error('the line dropped'));
          else controller.enqueue(Buffer.from(head, 'latin1'));
          sent = true;
        },
      },
      { highWaterMark: 0 },
    );
    const response = await opened.service.fetch(
      new Request('http://any.example/v1/tickets', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${keys.local}`,
          'content-type': 'multipart/form-data; boundary=b',
        },
        body,
        duplex: 'half',
      }),
    );
    expect(response.ok).toBe(false);
    expect(opened.kept()).toEqual([]);
  });

  it('that a killed process left behind are swept away, when they are old', async () => {
    const opened = openOnDisk();
    const { id } = await created(opened, formOf(report, [png]));
    const [known = ''] = opened.kept();
    const old = new Date(Date.now() - 2 * 3_600_000);
    const leave = (name: string, at: Date) => {
      writeFileSync(join(opened.folder, name), 'x');
      utimesSync(join(opened.folder, name), at, at);
    };
    utimesSync(join(opened.folder, known), old, old);
    leave('att_orphan', old);
    leave('att_other.x.part', old);
    leave('att_young', new Date());
    const next = open({ storePath: opened.storePath });
    // Whatever else it writes first.
    await uploaded(next, images.gif);
    await replied(next, id, formOf({ message: 'x' }, [png]));
    const attachments = (await attachmentsOf(next, id)).map((attachment) => attachment.id);
    expect(attachments).toHaveLength(2);
    expect(opened.kept().sort()).toEqual([...attachments, 'att_young'].sort());
    expect((await download(next, id, known)).status).toBe(200);
  });

  it('that somebody has removed are not found', async () => {
    const opened = openOnDisk();
    const { id } = await created(opened, formOf(report, [png]));
    const [known = ''] = opened.kept();
    rmSync(join(opened.folder, known));
    expect(await refusedWith(await download(opened, id, known))).toBe('404 attachment_not_found');
  });
});
