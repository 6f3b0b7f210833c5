/** Has models make things, and gathers their bytes. */
import { bufferSource as bytesSource } from '../../../../src/lib/audio/source.js';
import { measure } from '../../../../src/service/media/engines/measure.js';
import { models } from '../../../../src/service/media/engines/models.js';
import type {
  MediaFile,
  MediaModel,
  ModelJob,
  ModelRequest,
  MediaSource,
  SourceKind,
  Sources,
} from '../../../../src/service/media/engines/model.js';

export function modelOf(id: string): MediaModel {
  const model = models.find((one) => one.id === id);
  if (!model) throw new Error(`no model ${id}`);
  return model;
}

/** The job of a valid request. */
export function jobOf(id: string, order: ModelRequest): ModelJob {
  const { job, violations } = modelOf(id).check(order);
  if (!job) throw new Error(JSON.stringify(violations));
  return job;
}

/** The bytes of a file, or those of its first pieces: the rest is not even drawn. */
export async function bytesOf(file: MediaFile, maxPieces = Infinity): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.bytes()) {
    if (pieces.push(piece.slice()) >= maxPieces) break;
  }
  return Buffer.concat(pieces);
}

export async function sourceOf(bytes: Buffer): Promise<MediaSource> {
  const source = bytesSource(bytes);
  const measured = await measure(source);
  if (!measured) throw new Error('the source is of no kind that is known');
  return { bytes: source, ...measured };
}

/** What a model makes of a request; sources are named in the options as well. */
export async function make(id: string, order: ModelRequest, seed = 0, sources: Sources = {}) {
  const names = Object.keys(sources).map((kind) => [`${kind}_file_id`, 'file_1']);
  const opts = { ...(seed > 0 && { seed }), ...order.opts, ...Object.fromEntries(names) };
  const job = jobOf(id, { ...order, opts });
  const { files, resultMeta: meta = {} } = await job.make(sources);
  return { files: await Promise.all(files.map((file) => bytesOf(file))), meta };
}

/** What stands in a file before its pixels: the index of a film, the notes of a picture. */
export async function headOf(id: string, order: ModelRequest): Promise<Buffer> {
  const { files } = await jobOf(id, order).make({});
  const [file] = files;
  if (!file) throw new Error('no file');
  return bytesOf(file, headPieces);
}

/** Of a picture: its signature, its size and two notes. */
const headPieces = 4;

/** The only file that a model makes of a request. */
export async function makeOne(...order: Parameters<typeof make>): Promise<Buffer> {
  const { files } = await make(...order);
  const [file, ...others] = files;
  if (!file || others.length > 0) throw new Error(`${files.length} files`);
  return file;
}

/** Sources by kind, from the bytes of files. */
export async function sourcesOf(files: Partial<Record<SourceKind, Buffer>>): Promise<Sources> {
  const entries = Object.entries(files).map(
    async ([kind, bytes]) => [kind, await sourceOf(bytes)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Prompts that people send by accident, on purpose or in other alphabets. */
export const oddPrompts: readonly (readonly [name: string, prompt: string])[] = [
  ['emoji', '🦑👩‍👩‍👧‍👦🏳️‍🌈'],
  ['NULs', 'a\0b\0'],
  ['half an emoji', '\ud83e'],
  ['10,000 characters', 'long '.repeat(2000)],
];
