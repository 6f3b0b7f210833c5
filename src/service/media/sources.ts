/** The source files of media jobs: uploaded or inside a request, measured by their own bytes. */
import type { FileHandle } from 'node:fs/promises';
import { uploadFile } from '../../contract/media.js';
import { bufferSource, type SizedSource } from '../../lib/audio/source.js';
import { json, type Call, type App, type Reply } from '../call.js';
import { badRequest, ServiceFailure } from '../failure.js';
import type { WrittenFile } from '../folder.js';
import { formParts } from '../multipart.js';
import { mediaFiles } from '../store/tables.js';
import { measure } from './engines/measure.js';
import {
  MediaRefusal,
  type MeasuredSources,
  type SourceKind,
  type SourceReference,
  type Source,
  type Sources,
} from './engines/types.js';

/** The largest upload, form and all, in bytes. */
const maxUploadBytes = 512 * 1024 * 1024;

/** POST /v1/files: the file goes to disk as it arrives. */
export async function upload(call: Call): Promise<Reply> {
  const { app, caller, request } = call;
  const id = `file_${app.newId()}`;
  const createdAtMs = app.clock.now();
  try {
    const { byteLength, fileName } = await receive(app, id, request);
    const measured = await look(app, id, byteLength);
    mediaFiles.insert(app.store, { id, accountId: caller.accountId, byteLength, createdAtMs });
    return json({
      id,
      object: 'file',
      bytes: byteLength,
      created_at: Math.floor(createdAtMs / 1000),
      filename: fileName,
      ...measured,
    });
  } catch (error) {
    await app.media.folder.remove('files', id);
    throw error;
  }
}

async function receive(
  { media }: App,
  id: string,
  request: Call['request'],
): Promise<WrittenFile & { fileName?: string }> {
  const { field } = uploadFile.files;
  let received: (WrittenFile & { fileName?: string }) | undefined;
  for await (const { name, fileName, bytes } of formParts(request, maxUploadBytes)) {
    if (name !== field) continue;
    if (received) throw badRequest(`the form has more than one ${field}`, field);
    received = { ...(await media.folder.write('files', id, bytes)), fileName };
  }
  if (!received) throw badRequest(`the form has no ${field}`, field);
  if (received.byteLength === 0) throw badRequest(`the ${field} is empty`, field);
  return received;
}

/** What the file is, when it is something that a media model could take. */
async function look({ media }: App, id: string, byteLength: number) {
  const handle = await media.folder.open('files', id);
  if (!handle) throw new Error('the file that was just written is not there');
  try {
    const { mediaType, ...measured } = await measure(readAt(handle, byteLength));
    return { media_type: mediaType, ...measured };
  } catch (error) {
    if (error instanceof MediaRefusal) return {};
    throw error;
  } finally {
    await handle.close();
  }
}

/** Sources that are open; whoever opened them closes them. */
export interface OpenSources {
  readonly sources: Sources;
  /** What is known of them. */
  readonly measured: MeasuredSources;
  close(): Promise<void>;
}

/**
 * Opens what a request names. An address is left alone: nothing is ever fetched.
 * @param accountId whose files may be named; nobody's when it is absent
 */
export async function openSources(
  app: App,
  accountId: string | undefined,
  references: readonly SourceReference[],
): Promise<OpenSources> {
  const handles: FileHandle[] = [];
  const close = async () => {
    for (const handle of handles) await handle.close();
  };
  try {
    const sources: Partial<Record<SourceKind, Source>> = {};
    for (const reference of references) {
      if (reference.form === 'url') continue;
      const bytes =
        reference.form === 'base64'
          ? bufferSource(inlineBytes(reference))
          : await fileSource(app, accountId, reference, handles);
      sources[reference.kind] = { bytes, measured: await measure(bytes) };
    }
    const measured = Object.fromEntries(
      Object.entries(sources).map(([kind, source]) => [kind, source.measured]),
    );
    return { sources, measured, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The bytes of base64 text or of a data: URL. */
export function inlineBytes({ field, value }: SourceReference): Buffer {
  const text = /^data:/i.test(value) ? dataOf(value) : value;
  if (text === undefined || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(text)) {
    throw new ServiceFailure(422, 'source_unreadable', `${field} is not base64`, { param: field });
  }
  return Buffer.from(text, 'base64');
}

function dataOf(url: string): string | undefined {
  const comma = url.indexOf(',');
  return comma > 0 && /;base64$/i.test(url.slice(0, comma)) ? url.slice(comma + 1) : undefined;
}

async function fileSource(
  { store, media }: App,
  accountId: string | undefined,
  { field, value }: SourceReference,
  handles: FileHandle[],
): Promise<SizedSource> {
  const file =
    accountId === undefined ? undefined : mediaFiles.find(store, { id: value, accountId });
  const handle = file && (await media.folder.open('files', file.id));
  if (!file || !handle) {
    const message = `${field} names no file of this account; POST /v1/files gives the ids of files`;
    throw new ServiceFailure(422, 'source_not_found', message, { param: field });
  }
  handles.push(handle);
  return readAt(handle, file.byteLength);
}

/** An open file as a source. */
export function readAt(handle: FileHandle, length: number): SizedSource {
  const read = async (at: number, maxLength: number) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(maxLength), 0, maxLength, at);
    return buffer.subarray(0, bytesRead);
  };
  return { length, read };
}

type Opts = Readonly<Record<string, unknown>>;

/** Sources that came inside a request, now files of their own. */
export interface Kept {
  /** The options, which name the files in place of holding them. */
  readonly opts: Opts | undefined;
  /** Removes the files again, when the job did not come about. */
  undo(): Promise<void>;
}

/** Keeps what came as base64 for as long as a job may need it: all of it, or nothing. */
export async function keepInline(
  app: Pick<App, 'store' | 'media' | 'newId' | 'clock'>,
  accountId: string,
  opts: Opts | undefined,
  references: readonly SourceReference[],
): Promise<Kept> {
  const { store, media, newId, clock } = app;
  const inline = references.filter(({ form }) => form === 'base64');
  const replaced: Record<string, unknown> = { ...opts };
  const ids: string[] = [];
  const undo = async () => {
    for (const id of ids) {
      mediaFiles.remove(store, { id });
      await media.folder.remove('files', id);
    }
  };
  try {
    for (const reference of inline) {
      const name = reference.field.replace(/^opts\./, '');
      const id = `file_${newId()}`;
      const bytes = inlineBytes(reference);
      const { byteLength } = await media.folder.write('files', id, [bytes]);
      ids.push(id);
      mediaFiles.insert(store, { id, accountId, byteLength, createdAtMs: clock.now() });
      Reflect.deleteProperty(replaced, name);
      replaced[name.replace(/base64$/, 'file_id')] = id;
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { opts: inline.length === 0 ? opts : replaced, undo };
}
