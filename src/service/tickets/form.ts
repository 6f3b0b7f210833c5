/** What a ticket request holds: JSON, or a form with the same fields and images. */
import type * as z from 'zod/mini';
import { tickets as limits } from '../../contract/limits.js';
import { createTicket } from '../../contract/tickets.js';
import { imageTypeOf } from '../../lib/file-kind.js';
import type { Call, App } from '../call.js';
import { badRequest, ServiceFailure } from '../failure.js';
import { formParts, type FormPart } from '../multipart.js';
import { atMost, gather, parse } from '../body.js';
import { ticketAttachments } from '../store/tables.js';
import type { NewAttachment } from './open.js';

export const shelf = 'attachments';

/** Section 2.15: the same in every row that takes images. */
const filesField = createTicket.files.field;
/** Twice what the images of a request may be: what is too much is told by what it is. */
const maxFormBytes = 2 * limits.attachments.perRequest * limits.attachments.bytes;
/** The longest message, in the longest characters of UTF-8, and room to see that one is longer. */
const maxTextBytes = 4 * limits.messageCharacters.max + 4;

/** Hands what a request holds to `use`; its images are removed unless they were kept. */
export async function received<
  Schema extends z.ZodMiniObject,
  Used extends { readonly isKept: boolean },
>(
  call: Call,
  schema: Schema,
  use: (fields: z.output<Schema>, attachments: readonly NewAttachment[]) => Used,
): Promise<Used> {
  const type = call.request.headers.get('content-type') ?? '';
  if (!/^\s*multipart\//i.test(type)) {
    return use(await call.body(schema), []);
  }
  const attachments: NewAttachment[] = [];
  let isKept = false;
  try {
    const fields = parse(schema, await readForm(call, schema, attachments));
    const used = use(fields, attachments);
    ({ isKept } = used);
    return used;
  } finally {
    for (const { id } of isKept ? [] : attachments) {
      // What stays behind is swept away later.
      await call.app.media.folder.remove(shelf, id).catch(() => undefined);
    }
  }
}

type FormFields = Record<string, string | readonly string[]>;

async function readForm(
  { app, request }: Call,
  schema: z.ZodMiniObject,
  attachments: NewAttachment[],
): Promise<FormFields> {
  const fields: FormFields = {};
  const requestIds: string[] = [];
  for await (const part of formParts(request, maxFormBytes)) {
    const name = part.name === 'requestIds[]' ? 'requestIds' : part.name;
    if (name === filesField) {
      const { perRequest } = limits.attachments;
      if (attachments.length === perRequest) {
        const message = `a request may have ${perRequest} files at most`;
        throw badRequest(message, filesField, 'too_many_attachments');
      }
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
  const text = await gather(atMost(bytes, maxTextBytes, tooLong));
  try {
    // A mark at the start is part of the text.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    throw badRequest(`${name} is not UTF-8`, name);
  }
}

/** How a form carries a list is not shown: one field for each id, or one that holds JSON. */
function listOf(values: readonly string[]): readonly string[] {
  const [only = ''] = values;
  if (values.length !== 1 || !/^\s*\[/.test(only)) return values;
  try {
    const list: unknown = JSON.parse(only);
    return Array.isArray(list) && list.every((id) => typeof id === 'string') ? list : values;
  } catch {
    return values;
  }
}

/** Names are hints: what is longer is cut. */
const longestName = 255;
async function keep(app: App, part: FormPart): Promise<NewAttachment> {
  const { media, store, newId } = app;
  const { bytes } = limits.attachments;
  const tooLarge = () => {
    const message = `an attachment may have ${bytes} bytes at most`;
    return new ServiceFailure(413, 'attachment_too_large', message);
  };
  const pieces = atMost(part.bytes, bytes, tooLarge);
  // More than any kind of image needs to be known.
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 64) {
    const next = await pieces.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const mediaType = imageTypeOf(head);
  if (mediaType === undefined) {
    const message = 'an attachment must be a PNG, JPEG, GIF or WebP image, whatever its name says';
    throw new ServiceFailure(415, 'unsupported_attachment_type', message);
  }
  const id = `att_${newId()}`;
  const isKnown = (name: string) => ticketAttachments.find(store, { id: name }) !== undefined;
  const written = await media.folder.write(shelf, id, whole(head, pieces), isKnown);
  const given = Array.from(part.fileName ?? '')
    .slice(0, longestName)
    .join('');
  const filename = given === '' ? mediaType.replace('/', '.') : given;
  return { id, filename, mediaType, ...written };
}

async function* whole(head: Buffer, rest: AsyncIterable<Uint8Array>) {
  yield head;
  yield* rest;
}
