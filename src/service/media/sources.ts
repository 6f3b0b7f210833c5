/** The source files of a job: opened wherever a request has them, measured by their own bytes. */
import type { FileHandle } from 'node:fs/promises';
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { addFile, findFile, removeFile } from '../store/media-files.js';
import { measure } from './engines/measure.js';
import {
  bytesSource,
  type ByteSource,
  type MeasuredSources,
  type Source,
  type SourceKind,
  type SourceReference,
  type Sources,
} from './engines/types.js';

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
 * @throws ServiceFailure 422 when a file is not there, or base64 is none
 * @throws MediaRefusal when a source is no image, audio or video that can be read
 */
export async function openSources(
  house: House,
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
          ? bytesSource(inlineBytes(reference))
          : await fileSource(house, accountId, reference, handles);
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
export function inlineBytes({ field, value }: SourceReference): Uint8Array {
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
  { store, media }: House,
  accountId: string | undefined,
  { field, value }: SourceReference,
  handles: FileHandle[],
): Promise<ByteSource> {
  const file = accountId === undefined ? undefined : findFile(store, accountId, value);
  const handle = file && (await media.folder.open('files', file.id));
  if (!file || !handle) {
    throw new ServiceFailure(
      422,
      'source_not_found',
      `${field} names no file of this account; POST /v1/files gives the ids of files`,
      { param: field },
    );
  }
  handles.push(handle);
  return readAt(handle, file.byteLength);
}

/** An open file as a source. */
export function readAt(handle: FileHandle, byteLength: number): ByteSource {
  return { byteLength, read: (offset, length) => read(handle, offset, length) };
}

async function read(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
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
  house: Pick<House, 'store' | 'media' | 'newId' | 'clock'>,
  accountId: string,
  opts: Opts | undefined,
  references: readonly SourceReference[],
): Promise<Kept> {
  const { store, media, newId, clock } = house;
  const inline = references.filter(({ form }) => form === 'base64');
  const replaced: Record<string, unknown> = { ...opts };
  const ids: string[] = [];
  const undo = async () => {
    for (const id of ids) {
      removeFile(store, id);
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
      addFile(store, { id, accountId, byteLength, createdAtMs: clock.now() });
      Reflect.deleteProperty(replaced, name);
      replaced[name.replace(/base64$/, 'file_id')] = id;
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { opts: inline.length === 0 ? opts : replaced, undo };
}
