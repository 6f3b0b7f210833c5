/** The source files of media jobs, uploaded or within a request, measured by their bytes. */
import type { FileHandle } from 'node:fs/promises';
import { uploadFile } from '../../contract/media.js';
import { bufferSource, type SizedSource } from '../../lib/audio/source.js';
import type { JsonRecord } from '../../lib/json.js';
import { limitBytes, readAll } from '../body.js';
import { json, type Call, type App, type Reply } from '../call.js';
import { assertHolds, badRequest, ServiceFailure } from '../failure.js';
import type { StoredFile } from '../folder.js';
import { formParts } from '../multipart.js';
import { mediaFiles } from '../store/tables.js';
import { measure } from './engines/measure.js';
import type { MediaSource, SourceKind, SourceReference, Sources } from './engines/model.js';

const maxUploadBytes = 512 * 1024 * 1024;
/** The maximum length of the other fields of a form. */
const formBytes = 64 * 1024;

export async function upload(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const id = `file_${app.newId()}`;
  const createdAtMs = app.clock.now();
  const form = { ...uploadFile.files, maxBytes: maxUploadBytes };
  try {
    const { byteLength, fileName } = await receiveFile(call, id, form);
    const measured = await withFile(app, id, byteLength, measure);
    mediaFiles.insert(app.store, { id, accountId: caller.accountId, byteLength, createdAtMs });
    const { mediaType, ...facts } = measured ?? {};
    return json({
      ...{ id, object: 'file', bytes: byteLength, created_at: Math.floor(createdAtMs / 1000) },
      ...{ filename: fileName, media_type: mediaType, ...facts },
    });
  } catch (error) {
    await app.folder.remove('files', id);
    throw error;
  }
}

/** Writes the file of a form to disk as it arrives, and reads the other fields. */
export async function receiveFile(
  { app, request }: Call,
  name: string,
  { field, maxBytes }: { readonly field: string; readonly maxBytes: number },
) {
  const tooLarge = () => {
    const message = `the ${field} is larger than ${maxBytes} bytes`;
    const details = { param: field, fields: { max_body_bytes: maxBytes } };
    return new ServiceFailure(413, 'payload_too_large', message, details);
  };
  const fields: Record<string, string> = {};
  let file: (StoredFile & { readonly fileName?: string }) | undefined;
  for await (const { name: key, fileName, bytes } of formParts(request, maxBytes + formBytes)) {
    if (key === field) {
      if (file) throw badRequest(`the form has more than one ${field}`, field);
      const pieces = limitBytes(bytes, maxBytes, tooLarge);
      file = { ...(await app.folder.write('files', name, pieces)), fileName };
    } else {
      const tooLong = () => badRequest(`the field ${key.slice(0, 60)} is too long`);
      fields[key] = (await readAll(limitBytes(bytes, formBytes, tooLong))).toString();
    }
  }
  if (!file) throw badRequest(`the form has no ${field}`, field);
  if (file.byteLength === 0) throw badRequest(`the ${field} is empty`, field);
  return { fields, ...file };
}

export async function withFile<Made>(
  { folder }: App,
  name: string,
  byteLength: number,
  use: (source: SizedSource) => Promise<Made>,
): Promise<Made> {
  const handle = await folder.open('files', name);
  if (!handle) throw new Error('the new file is missing');
  try {
    return await use(readAt(handle, byteLength));
  } finally {
    await handle.close();
  }
}

/** Uses the sources of a request while they are open; downloads nothing. */
export async function withSources<Made>(
  app: App,
  accountId: string | undefined,
  references: readonly SourceReference[],
  use: (sources: Sources) => Made | Promise<Made>,
): Promise<Made> {
  const handles: FileHandle[] = [];
  const fileSource = async ({ field, value: id }: SourceReference) => {
    const file = mediaFiles.find(app.store, { id, accountId: accountId ?? '' });
    const handle = file && (await app.folder.open('files', id));
    if (!file || !handle) {
      const message = `${field} is not a file of this account; POST /v1/files returns file ids`;
      throw new ServiceFailure(422, 'source_not_found', message, { param: field });
    }
    handles.push(handle);
    return readAt(handle, file.byteLength);
  };
  try {
    const sources: Partial<Record<SourceKind, MediaSource>> = {};
    for (const reference of references.filter(({ form }) => form !== 'url')) {
      const isInline = reference.form === 'base64';
      const bytes = isInline ? bufferSource(inlineBytes(reference)) : await fileSource(reference);
      const measured = await measure(bytes);
      const unknown =
        'the source is not a PNG, JPEG, GIF, WebP, WAV, FLAC, MP3 or MP4 file, or is damaged';
      assertHolds(measured, 422, 'source_unreadable', unknown);
      sources[reference.kind] = { bytes, ...measured };
    }
    return await use(sources);
  } finally {
    for (const handle of handles) await handle.close();
  }
}

/** The bytes of base64, with or without line breaks, in either alphabet, or in a data: URL. */
export function base64Bytes(text: string): Buffer | undefined {
  const head = /^data:[^,]{0,200};base64,/i.exec(text)?.[0] ?? '';
  const letters = text
    .slice(head.length)
    .replaceAll(/\s/g, '')
    .replace(/={1,2}$/, '');
  // One that matches all of a long text would overflow the stack at times.
  const hasOther = /[^\w+/-]/.test(letters);
  if (letters === '' || letters.length % 4 === 1 || hasOther) return undefined;
  return Buffer.from(letters, 'base64');
}

function inlineBytes({ field, value }: SourceReference): Buffer {
  const bytes = base64Bytes(value);
  if (bytes) return bytes;
  throw new ServiceFailure(422, 'source_unreadable', `${field} is not base64`, { param: field });
}

export function readAt(handle: FileHandle, length: number): SizedSource {
  const read = async (at: number, maxLength: number) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxLength), 0, maxLength, at);
    return buffer.subarray(0, bytesRead);
  };
  return { length, read };
}

/** Saves base64 sources as files, which the returned options name; `undo` removes them. */
export async function storeInline(
  { store, folder, newId, clock }: App,
  accountId: string,
  opts: JsonRecord | undefined,
  references: readonly SourceReference[],
) {
  const inline = references.filter(({ form }) => form === 'base64');
  const stored = new Map(Object.entries(opts ?? {}));
  const ids = inline.map(() => `file_${newId()}`);
  const undo = async () => {
    for (const id of ids) {
      mediaFiles.remove(store, { id });
      await folder.remove('files', id);
    }
  };
  try {
    for (const [i, reference] of inline.entries()) {
      const name = reference.field.replace(/^opts\./, '');
      const id = ids[i] ?? '';
      const { byteLength } = await folder.write('files', id, [inlineBytes(reference)]);
      mediaFiles.insert(store, { id, accountId, byteLength, createdAtMs: clock.now() });
      stored.delete(name);
      stored.set(name.replace(/base64$/, 'file_id'), id);
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { opts: inline.length === 0 ? opts : Object.fromEntries(stored), undo };
}
