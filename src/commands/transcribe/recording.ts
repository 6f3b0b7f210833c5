/** The recording that is to be written down, and what was heard of its parts until all of it is given out. */
import { basename, join } from 'node:path';
import type { Context, Stdin } from '../../cli/context.js';
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { PartFile } from '../../files/part-file.js';
import { makeFolder, readOwn } from '../../lib/own-file.js';
import { keptPieces, type KeptPieces } from '../kept-pieces.js';
import type { Fields } from './transcribe.js';
import { UsageError } from '../../errors.js';
import { type OpenFile, openNamed } from '../../files/named-file.js';
import { spool } from '../../files/growing-file.js';
import { exactly, span } from '../../lib/audio/source.js';
import {
  fileKindOf,
  isSameExtension,
  kindBytes,
  type FileKind,
  textIn,
} from '../../lib/file-kind.js';
import { splitExtension, numbered } from '../../lib/file-name.js';
import type { Recording as Sent } from '../../api/audio.js';
import { bytesPerMb, transcription as limits } from '../../contract/limits.js';
import { CannotCut, cutWav } from '../../lib/audio/cut.js';
import { readWav } from '../../lib/audio/wav.js';
import { formatBytes } from '../../lib/amounts.js';

export interface Recording {
  readonly file: OpenFile;
  /** In messages. */
  readonly name: string;
  /** What the service is told that it is called: its extension fits its content. */
  readonly sentName: string;
  /** Undefined for what is not known, and no text. */
  readonly kind: FileKind | undefined;
  close(): Promise<void>;
}

/**
 * Opens it, as far as its first bytes.
 * @param maxBytes what is piped in is read no further than one byte beyond.
 * @throws UsageError for what is not there, empty, or surely no recording; LocalFileError.
 */
export async function openRecording(
  path: string,
  stdin: Stdin,
  maxBytes: number,
): Promise<Recording> {
  if (path === '') throw new UsageError('give the name of a recording', { code: 'usage' });
  const opened = path === '-' ? await piped(stdin, maxBytes) : await named(path);
  const { file, name, close } = opened;
  try {
    if (file.length === 0) throw new UsageError(`${name} is empty`, { code: 'empty_file' });
    const head = await exactly(file, 0, kindBytes);
    const kind = fileKindOf(head);
    assertRecording(name, head, kind);
    return { ...opened, sentName: sentName(name, kind), kind };
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = Pick<Recording, 'file' | 'name' | 'close'>;

async function named(path: string): Promise<Opened> {
  const file = await openNamed(path);
  return { file, name: basename(path), close: () => file.close() };
}

/** Its length must be known before it is sent, and it may be too large for memory. */
async function piped(stdin: Stdin, maxBytes: number): Promise<Opened> {
  if (stdin.isTerminal) {
    throw new UsageError('a recording is piped in, not typed', {
      code: 'usage',
      hint: 'svc transcribe FILE, or pipe one into svc transcribe -',
    });
  }
  const file = await spool(stdin.pieces(), 'recording', maxBytes);
  return { file, name: 'stdin', close: () => file.close() };
}

/** By the first bytes, for a name proves nothing. What nobody knows is for the service to judge. */
function assertRecording(name: string, head: Buffer, kind: FileKind | undefined): void {
  if (kind && /^(?:audio|video)\//.test(kind.mediaType) && !isWideText(head)) return;
  const what = kind && !isWideText(head) ? kind.mediaType : isText(head) ? 'text' : undefined;
  if (what === undefined) return;
  throw new UsageError(`${name} is ${what}, no recording`, { code: 'not_a_recording' });
}

function isText(head: Buffer): boolean {
  // The last character may be cut in two.
  return (
    isWideText(head) ||
    [0, 1, 2, 3].some((cut) => textIn(head.subarray(0, head.length - cut)) !== undefined)
  );
}

/** UTF-16 with its mark, which looks like a frame of MPEG audio, but of a layer before MP3. */
function isWideText(head: Buffer): boolean {
  const mark = head.toString('latin1', 0, 2);
  return mark === '\xff\xfe' || mark === '\xfe\xff';
}

function sentName(name: string, kind: FileKind | undefined): string {
  const [stem, extension] = splitExtension(name);
  if (!kind || (extension !== '' && isSameExtension(extension.slice(1), kind.extension)))
    return name;
  return `${extension === '' ? name : stem}.${kind.extension}`;
}

export interface Part extends Sent {
  /** Where it lies in the recording; undefined for all of it. */
  readonly seconds: { readonly from: number; readonly to: number } | undefined;
  /** What the file itself says is spoken in it; empty when it does not. */
  readonly comment: string;
}

/** @throws UsageError for what is too large and cannot, or shall not, be cut. */
export async function partsOf(recording: Recording, split: boolean): Promise<readonly Part[]> {
  const { file, kind, sentName } = recording;
  if (file.length > limits.fileBytes) return cutParts(recording, split);
  const type = kind?.mediaType ?? 'application/octet-stream';
  const content = { length: file.length, open: () => span(file, 0), path: file.path };
  return [{ content, name: sentName, type, seconds: undefined, comment: '' }];
}

async function cutParts(recording: Recording, split: boolean): Promise<readonly Part[]> {
  const { file, kind, name, sentName } = recording;
  const isWav = kind?.mediaType === 'audio/wav';
  if (!isWav || !split) throw tooLarge(name, isWav);
  const wav = await readWav(file);
  if (!wav) throw new UsageError(`${name} is a damaged WAV file`, { code: 'not_a_recording' });
  try {
    const cuts = await cutWav(file, wav, limits.fileBytes);
    return cuts.map(({ fromSeconds, toSeconds, length, bytes, comment }, index) => ({
      content: { length, open: bytes },
      name: numbered(sentName, index + 1),
      type: 'audio/wav',
      seconds: { from: fromSeconds, to: toSeconds },
      comment,
    }));
  } catch (error) {
    if (!(error instanceof CannotCut)) throw error;
    throw new UsageError(`${name} cannot be cut: ${error.message}`, {
      code: 'cannot_cut',
      hint: 'write it as plain WAV, or as MP3, which is smaller',
    });
  }
}

function tooLarge(name: string, isWav: boolean): UsageError {
  const most = `${String(limits.fileBytes / bytesPerMb)} MB (${formatBytes(limits.fileBytes)})`;
  return new UsageError(`${name} is larger than the ${most} that the service takes`, {
    code: 'file_too_large',
    hint: isWav
      ? 'cut it where it is quiet and join the text: --split'
      : 'write it smaller, as MP3 for example; a WAV file can be cut with --split',
  });
}

const Heard = z.object({ text: z.string(), ids: z.record(z.string(), z.string()) });
/** The text of a part, with the ids of the request that brought it. */
export type Heard = z.output<typeof Heard>;

export interface KeptTexts {
  readonly pieces: KeptPieces;
  /** What is kept of a part; undefined when there is nothing. @throws LocalFileError */
  heard(index: number): Heard | undefined;
  /** @throws LocalFileError */
  readonly keep: (index: number, heard: Heard) => Promise<void>;
}

export interface Wanted {
  readonly recording: Recording;
  readonly parts: readonly Part[];
  readonly fields: Fields;
  readonly resume: boolean;
}

/**
 * Opens what is kept of this recording, by its bytes, and of this model and language. It lies among
 * svc's own data: a recording may be piped in, or lie where nothing can be written.
 */
export async function keptTexts(context: Context, wanted: Wanted): Promise<KeptTexts> {
  const { recording, parts, fields, resume } = wanted;
  const { clock, paths, signal } = context;
  const { model, language } = fields;
  const facts = { recording: await fingerprint(recording, parts, signal), model, language };
  const name = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  const all = join(paths.data, 'transcripts');
  try {
    makeFolder(all);
  } catch (cause) {
    throw fileTrouble(cause, `cannot make ${all}`, 'set SVC_CONFIG_DIR to a folder of your own');
  }
  await dropForgotten(all, { except: name, nowMs: clock.now() });
  const words = { doing: 'writing into', anew: 'have it all written down anew' };
  const request = { facts, count: parts.length, extension: 'json', words };
  const keeping = { clock, signal, resume, force: false };
  const pieces = await keptPieces(join(all, name), request, keeping);
  return {
    pieces,
    heard: (index) => readHeard(pieces.path(index)),
    keep: async (index, { text, ids }) => {
      const target = { kind: 'file', path: pieces.path(index), replace: true } as const;
      const bytes = Buffer.from(`${JSON.stringify({ text, ids })}\n`);
      const part = await PartFile.open(target, { sourceId: `heard ${name}`, clock });
      await part.fill({}, (take) => take(bytes));
    },
  };
}

/** After this long nobody goes on with a recording; its words are not svc's to keep for ever. */
const forgottenMs = 30 * 24 * 60 * 60 * 1000;

/** Another time will do where it fails. */
async function dropForgotten(
  all: string,
  { except, nowMs }: { except: string; nowMs: number },
): Promise<void> {
  for (const name of await readdir(all).catch(() => [])) {
    const folder = join(all, name);
    const found = await stat(folder).catch(() => undefined);
    if (name === except || !found || nowMs - found.mtimeMs <= forgottenMs) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Of all bytes of the recording, and of where it is cut. */
async function fingerprint(
  { file }: Recording,
  parts: readonly Part[],
  signal: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(parts.map(({ seconds }) => seconds)));
  for await (const piece of span(file, 0)) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest('hex');
}

function readHeard(path: string): Heard | undefined {
  try {
    const parsed = Heard.safeParse(JSON.parse(readOwn(path)));
    return parsed.success ? parsed.data : undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError || codeOf(cause) === 'ENOENT') return undefined;
    throw fileTrouble(cause, `cannot read ${path}`);
  }
}
