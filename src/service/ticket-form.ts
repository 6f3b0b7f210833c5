/** Reads a ticket request: JSON, or a form with the same fields and images. */
import type * as z from 'zod/mini';
import { tickets as limits } from '../contract/limits.js';
import { createTicket } from '../contract/tickets.js';
import { imageTypeOf } from '../lib/file-kind.js';
import { parsedJson } from '../lib/json.js';
import { utf8Text } from '../lib/plain-text.js';
import { limitBytes, readAll, parse } from './body.js';
import type { App, Call, Reply } from './call.js';
import { assertHolds, badRequest, ServiceFailure } from './failure.js';
import type { FormPart } from '../lib/form-parts.js';
import { formParts } from './multipart.js';
import { ticketAttachments, type Attachment } from './store/tables.js';

export type NewAttachment = Omit<Attachment, 'seq' | 'ticketId' | 'messageId'>;

export const shelf = 'attachments';

/** Section 2.15: the same field in every row with images. */
const filesField = createTicket.files.field;
/** Twice the allowed size, so that the refusal names the exceeded limit. */
const maxFormBytes = 2 * limits.attachments.perRequest * limits.attachments.bytes;
/** The longest message in the longest UTF-8 characters, and one more to detect an excess. */
const maxTextBytes = 4 * limits.messageCharacters.max + 4;

/** Passes fields and images to `use`; images that it does not attach are removed. */
export async function readRequest<Schema extends z.ZodMiniObject>(
  call: Call,
  schema: Schema,
  use: (fields: z.output<Schema>, attachments: readonly NewAttachment[]) => Reply,
): Promise<Reply> {
  const { app, request } = call;
  const isForm = /^\s*multipart\//i.test(request.headers.get('content-type') ?? '');
  if (!isForm) return use(await call.body(schema), []);
  const attachments: NewAttachment[] = [];
  try {
    return use(parse(schema, await readForm(call, schema, attachments)), attachments);
  } finally {
    for (const { id } of attachments) {
      // A file that cannot be deleted does no harm.
      if (!ticketAttachments.find(app.store, { id }))
        await app.folder.remove(shelf, id).catch(() => undefined);
    }
  }
}

async function readForm(
  { app, request }: Call,
  schema: z.ZodMiniObject,
  attachments: NewAttachment[],
): Promise<object> {
  const fields: Record<string, string | readonly string[]> = {};
  const requestIds: string[] = [];
  for await (const part of formParts(request, maxFormBytes)) {
    const name = part.name === 'requestIds[]' ? 'requestIds' : part.name;
    if (name === filesField) {
      const { perRequest } = limits.attachments;
      const message = `a request may have at most ${perRequest} files`;
      assertHolds(attachments.length < perRequest, 400, 'too_many_attachments', message);
      attachments.push(await keep(app, part));
    } else if (!Object.hasOwn(schema.shape, name)) {
      throw badRequest(`the form has the unknown field ${JSON.stringify(name.slice(0, 60))}`);
    } else if (name === 'requestIds') {
      requestIds.push(await textOf(part, name));
      fields[name] = listOf(requestIds);
    } else if (Object.hasOwn(fields, name)) {
      throw badRequest(`the form has more than one ${name}`, name);
    } else {
      fields[name] = await textOf(part, name);
    }
  }
  return fields;
}

async function textOf({ bytes }: FormPart, name: string): Promise<string> {
  const tooLong = () => badRequest(`${name} is too long`, name);
  // A byte order mark is part of the text.
  const text = utf8Text(await readAll(limitBytes(bytes, maxTextBytes, tooLong)), {
    keepsMark: true,
  });
  if (text === undefined) throw badRequest(`${name} is not UTF-8`, name);
  return text;
}

/** The form of a list is not specified: one field for each id, or one field with JSON. */
function listOf(values: readonly string[]): readonly string[] {
  const [only = ''] = values;
  if (values.length !== 1 || !/^\s*\[/.test(only)) return values;
  const list = parsedJson(only);
  return Array.isArray(list) && list.every((id) => typeof id === 'string') ? list : values;
}

const maxNameLength = 255;

async function keep(app: App, part: FormPart): Promise<NewAttachment> {
  const { bytes: most } = limits.attachments;
  const message = `an attachment may have at most ${most} bytes`;
  const tooLarge = () => new ServiceFailure(413, 'attachment_too_large', message);
  const pieces = limitBytes(part.bytes, most, tooLarge);
  // Enough bytes to recognise any image type.
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 64) {
    const next = await pieces.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const mediaType = imageTypeOf(head);
  const noImage = 'an attachment must be a PNG, JPEG, GIF or WebP image, whatever its name is';
  assertHolds(mediaType, 415, 'unsupported_attachment_type', noImage);
  async function* whole() {
    yield head;
    yield* pieces;
  }
  const id = `att_${app.newId()}`;
  const written = await app.folder.write(shelf, id, whole());
  const name = Array.from(part.fileName ?? '').slice(0, maxNameLength);
  return { id, filename: name.join('') || mediaType.replace('/', '.'), mediaType, ...written };
}
