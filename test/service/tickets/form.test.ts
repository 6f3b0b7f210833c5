/** What tickets refuse and keep, as JSON and as forms, some of them made to break their reader. */
import { describe, expect, it } from 'vitest';
import { formOf, Desk, refusedWith, report } from './helpers.js';

const headers = { 'content-type': 'multipart/form-data; boundary=b' };

interface Part {
  readonly name: string;
  readonly fileName?: string;
  readonly value: string;
}

/** A form as bytes, by hand, for FormData rewrites line ends. */
function form(parts: readonly Part[], encoding: BufferEncoding = 'latin1'): Buffer {
  const all = parts.map(({ name, fileName, value }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`;
    return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${all.join('')}--b--\r\n`, encoding);
}

const subject: Part = { name: 'subject', value: report.subject };
const message: Part = { name: 'message', value: report.message };

type Fields = Readonly<Record<string, string | readonly string[]>>;

const letters = (count: number) => 'x'.repeat(count);
/** One character each, and two units of UTF-16. */
const faces = (count: number) => '🌍'.repeat(count);

const waysToSend: readonly (readonly [string, (fields: Fields) => unknown])[] = [
  ['JSON', (fields) => fields],
  ['a form', (fields) => formOf(fields)],
];

describe.each(waysToSend)('a ticket as %s', (_, bodyOf) => {
  it.each<readonly [string, Fields]>([
    ['the longest texts of wide characters', { subject: faces(200), message: faces(8000) }],
    ['white space', { subject: '   ', message: '\t'.repeat(10) }],
    ['an incident id of every sign', { clientIncidentId: 'A.b_c:d-9' }],
  ])('takes %s', async (_name, fields) => {
    const opened = new Desk();
    const body = { ...report, ...fields };
    const ticket = await opened.created(bodyOf(body));
    const { message, ...rest } = body;
    expect(ticket).toMatchObject(rest);
    expect((await opened.thread(ticket.id)).messages[0]?.body).toBe(message);
  });

  it.each<readonly [string, Fields]>([
    ['too long a subject of wide characters', { subject: faces(201) }],
    ['a huge message', { message: letters(5_000_000) }],
    ['an incident id with a line end', { clientIncidentId: 'a\n' }],
    ['a request that is named twice', { requestIds: ['req_x', 'req_x'] }],
    ['an unknown field', { zebra: 'x' }],
    ['a field that every object has', { constructor: 'x' }],
  ])('refuses %s, and leaves no ticket', async (_name, fields) => {
    const opened = new Desk();
    const body = bodyOf({ ...report, ...fields });
    const response = await opened.ask('/v1/tickets', { body });
    expect(await refusedWith(response)).toBe('400 invalid_request');
    expect((await opened.page()).data).toEqual([]);
  });

  it.each([
    ['the longest', letters(8000), 201],
    ['too short a one', '', 400],
    ['a huge one', letters(5_000_000), 400],
  ])('gets a message: %s', async (_name, message, status) => {
    const opened = new Desk();
    const { id } = await opened.created();
    const path = `/v1/tickets/${id}/messages`;
    const response = await opened.ask(path, { body: bodyOf({ message }) });
    expect(response.status).toBe(status);
    const { messages } = await opened.thread(id);
    expect(messages.at(-1)?.body).toBe(status === 201 ? message : report.message);
  });
});

it.each<readonly [what: string, body: unknown, refused?: string]>([
  ['no JSON', '{', '400 invalid_json'],
  ['text for request ids', { ...report, requestIds: 'req_x' }],
  ['a prototype', '{"subject":"abc","message":"0123456789","__proto__":{"a":1}}'],
  ['a field of a form twice', form([subject, message, subject])],
  ['a field that is not UTF-8', form([subject, { ...message, value: `${letters(10)}\xff\xfe` }])],
  ['a field named like a prototype', form([subject, message, { name: '__proto__', value: 'x' }])],
  [
    'a list that is no list',
    form([subject, message, { name: 'requestIds', value: '["a"' }]),
    '400 foreign_request_id',
  ],
  [
    'an image that is no file part',
    form([subject, message, { name: 'files', value: 'words' }]),
    '415 unsupported_attachment_type',
  ],
])(
  'a report with %s is refused, and leaves no ticket',
  async (_, body, refused = '400 invalid_request') => {
    const opened = new Desk();
    const sent = { body, headers: body instanceof Uint8Array ? headers : {} };
    expect(await refusedWith(await opened.ask('/v1/tickets', sent))).toBe(refused);
    expect((await opened.page()).data).toEqual([]);
  },
);

describe('the text of a ticket', () => {
  const formFields = (fields: Readonly<Record<string, string>>) =>
    form(
      Object.entries(fields).map(([name, value]) => ({ name, value })),
      'utf8',
    );

  it.each([
    ['sequences for terminals', '\u001b[2J\u001b]0;title\u0007\u001b]8;;http://x\u001b\\\u009b31m'],
    ['line ends of all kinds', 'a\r\nb\nc\rd\u2028e\u2029f\r\n'],
    ['SQL', `'; DROP TABLE tickets; -- " OR ""="`],
    ['every plane', '\u{1f30d}\u{10ffff}\uffff\ufffe\ufdd0e\u0301'],
    ['halves of pairs', '\ud800 and \udc00 '.repeat(2)],
  ])('comes back exactly as it was given in JSON, and in a form: %s', async (_, text) => {
    const fields = { subject: text, message: text.padEnd(20, '.') };
    for (const body of [fields, formFields(fields)]) {
      // UTF-8 has no half of a pair.
      if (body !== fields && Buffer.from(text).toString() !== text) continue;
      const opened = new Desk();
      const sent = body === fields ? {} : { headers };
      const { id, subject } = await opened.created(body, sent);
      expect(subject).toBe(text);
      const thread = await opened.replied(id, { message: text });
      expect(thread.messages.map(({ body }) => body)).toEqual([fields.message, text]);
      expect((await opened.page()).data[0]?.subject).toBe(text);
    }
  });
});
