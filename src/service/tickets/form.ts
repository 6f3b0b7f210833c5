/** What a ticket request holds: JSON, or a form with the same fields and images. */
import type * as z from 'zod/mini';
import { tickets as limits } from '../../contract/limits.js';
import { createTicket } from '../../contract/tickets.js';
import type { Call } from '../call.js';
import { badRequest } from '../failure.js';
import { formParts, type FormPart } from '../multipart.js';
import { parse } from '../body.js';
import type { Attachment } from '../store/ticket-messages.js';
import { discard, keep } from './attachments.js';

/** Section 2.15: the same in every row that takes images. */
const filesField = createTicket.files.field;
/** Twice what the images of a request may be: what is too much is told by what it is. */
const maxFormBytes = 2 * limits.attachments.perRequest * limits.attachments.bytes;
/** The longest message, in the longest characters of UTF-8, and room to see that one is longer. */
const maxTextBytes = 4 * limits.messageCharacters.max + 4;

export interface Received<Schema extends z.ZodMiniType> {
  readonly fields: z.output<Schema>;
  /** On disk already. */
  readonly attachments: readonly Attachment[];
}

/**
 * Hands what a request holds to `use`. Its images are removed again unless `use` says that they
 * were kept.
 * @throws ServiceFailure 400, 413, 415
 */
export async function received<
  Schema extends z.ZodMiniObject,
  Used extends { readonly isKept: boolean },
>(call: Call, schema: Schema, use: (request: Received<Schema>) => Used): Promise<Used> {
  const type = call.request.headers.get('content-type') ?? '';
  if (!/^\s*multipart\//i.test(type)) {
    return use({ fields: await call.body(schema), attachments: [] });
  }
  const attachments: Attachment[] = [];
  let isKept = false;
  try {
    const fields = parse(schema, await readForm(call, schema, attachments));
    const used = use({ fields, attachments });
    ({ isKept } = used);
    return used;
  } finally {
    if (!isKept) await discard(call.house, attachments);
  }
}

type FormFields = Record<string, string | readonly string[]>;

/** Reads the fields, and adds the images to `attachments` as they come. */
async function readForm(
  { house, request }: Call,
  schema: z.ZodMiniObject,
  attachments: Attachment[],
): Promise<FormFields> {
  const fields: FormFields = {};
  const requestIds: string[] = [];
  for await (const part of formParts(request, maxFormBytes)) {
    const name = part.name === 'requestIds[]' ? 'requestIds' : part.name;
    if (name === filesField) {
      if (attachments.length === limits.attachments.perRequest) throw tooManyFiles();
      attachments.push(await keep(house, part));
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

function tooManyFiles() {
  const { perRequest } = limits.attachments;
  const message = `a request may have ${perRequest} files at most`;
  return badRequest(message, filesField, 'too_many_attachments');
}

async function textOf({ bytes }: FormPart, name: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.byteLength;
    if (size > maxTextBytes) throw badRequest(`${name} is too long`, name);
    pieces.push(piece);
  }
  try {
    // A mark at the start is part of the text.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Buffer.concat(pieces));
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
