/** The recording to transcribe, and the texts of its parts until all are written. */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import type { Recording as SentRecording } from '../api/audio.js';
import type { Context, Stdin } from '../context.js';
import { bytesPerMb, transcription as limits } from '../contract/limits.js';
import { UsageError } from '../errors.js';
import { fileTrouble } from '../files/file-trouble.js';
import { spool } from '../files/growing-file.js';
import { openNamed, type OpenFile } from '../files/named-file.js';
import { formatBytes } from '../lib/amounts.js';
import { CannotCut, cutWav, type Cut } from '../lib/audio/cut.js';
import { exactly, span } from '../lib/audio/source.js';
import { readWav } from '../lib/audio/wav.js';
import { fileKindOf, isSameExtension, kindBytes, textIn, type FileKind } from '../lib/file-kind.js';
import { numbered, splitExtension } from '../lib/file-name.js';
import { makeFolder } from '../lib/own-file.js';
import type { Pieces } from './pieces.js';

/** A recording that is open, until the code that opened it closes its file. */
export interface OpenRecording {
  readonly file: OpenFile;
  /** For people. */
  readonly name: string;
  /** For the service: its extension matches the content. */
  readonly filename: string;
  readonly type: string;
}

export async function openRecording(
  path: string,
  stdin: Stdin,
  maxBytes: number,
): Promise<OpenRecording> {
  if (path === '') throw new UsageError('no recording given');
  const isPiped = path === '-';
  if (isPiped && stdin.isTerminal) {
    throw new UsageError('a recording cannot be typed: pipe it in', {
      hint: 'svc transcribe FILE, or pipe one into svc transcribe -',
    });
  }
  const file = await (isPiped ? spool(stdin.pieces(), 'recording', maxBytes) : openNamed(path));
  const name = isPiped ? 'stdin' : basename(path);
  try {
    if (file.length === 0) throw new UsageError(`${name} is empty`, { code: 'empty_file' });
    const head = await exactly(file, 0, kindBytes);
    const kind = fileKindOf(head);
    const what = otherThanSound(head, kind);
    if (what !== undefined) {
      throw new UsageError(`${name} is ${what}, not a recording`, { code: 'not_a_recording' });
    }
    const [stem, extension] = splitExtension(name);
    const isFit = !kind || isSameExtension(extension.slice(1), kind.extension);
    const filename = isFit ? name : `${stem}.${kind.extension}`;
    return { file, name, filename, type: kind?.mediaType ?? 'application/octet-stream' };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** By the first bytes, because a name proves nothing. The service judges unknown ones. */
function otherThanSound(head: Buffer, kind: FileKind | undefined): string | undefined {
  // UTF-16 with its mark looks like a frame of MPEG audio, but of a layer before MP3.
  const isWide = /^(?:\xff\xfe|\xfe\xff)/.test(head.toString('latin1', 0, 2));
  if (kind && !isWide) {
    return /^(?:audio|video)\//.test(kind.mediaType) ? undefined : kind.mediaType;
  }
  // The last character may be truncated.
  const ends = [0, 1, 2, 3].map((cut) => head.subarray(0, head.length - cut));
  return isWide || ends.some((bytes) => textIn(bytes) !== undefined) ? 'text' : undefined;
}

/** A part of a longer recording has its place in it. */
export type Part = SentRecording & Partial<Pick<Cut, 'comment' | 'seconds'>>;

export async function partsOf(recording: OpenRecording, split: boolean): Promise<readonly Part[]> {
  const { file, name, filename, type } = recording;
  if (file.length <= limits.fileBytes) {
    const content = { length: file.length, open: () => span(file, 0), path: file.path };
    return [{ content, filename, type }];
  }
  const isWav = type === 'audio/wav';
  if (!isWav || !split) {
    const max = `${limits.fileBytes / bytesPerMb} MB (${formatBytes(limits.fileBytes)})`;
    throw new UsageError(`${name} is larger than the limit of ${max}`, {
      code: 'file_too_large',
      hint: isWav
        ? 'split it at quiet places: --split'
        : 'compress it, for example as MP3; a WAV file can be split with --split',
    });
  }
  const wav = await readWav(file);
  if (!wav) throw new UsageError(`${name} is a damaged WAV file`, { code: 'not_a_recording' });
  const cuts = await cutWav(file, wav, limits.fileBytes).catch((error: unknown) => {
    if (!(error instanceof CannotCut)) throw error;
    throw new UsageError(`${name} cannot be split: ${error.message}`, {
      code: 'cannot_cut',
      hint: 'convert it to PCM WAV, or to MP3, which is smaller',
    });
  });
  return cuts.map((cut, index) => ({ ...cut, filename: numbered(filename, index + 1), type }));
}

/** What a request says beside the recording. */
export interface TranscriptionFields {
  readonly model: string;
  readonly language?: string;
}

const id = z.string();
const Ids = z.object({ requestId: id, generationId: id, jobId: id, route: id, model: id });
export const Heard = z.object({
  text: z.string(),
  ids: z.partial(z.extend(Ids, { cached: z.literal(true) })),
});
export type Heard = z.output<typeof Heard>;

/** The texts of this recording, model and language, in svc's own data: stdin has no folder. */
export async function piecesOf(
  { clock, paths, signal }: Context,
  { file }: OpenRecording,
  parts: readonly Part[],
  { model, language, resume }: TranscriptionFields & { readonly resume: boolean },
): Promise<Pieces> {
  const hash = createHash('sha256').update(JSON.stringify(parts.map(({ seconds }) => seconds)));
  for await (const piece of span(file, 0)) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  const facts = { recording: hash.digest('hex'), model, language };
  const name = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
  const all = join(paths.data, 'transcripts');
  try {
    makeFolder(all);
  } catch (cause) {
    throw fileTrouble(cause, `cannot create ${all}`, 'set SVC_CONFIG_DIR to a writable folder');
  }
  for (const other of await readdir(all).catch(() => [])) {
    const folder = join(all, other);
    const stats = await stat(folder).catch(() => undefined);
    if (other === name || !stats || clock.now() - stats.mtimeMs <= forgottenMs) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
  const isOne = parts.length === 1;
  return {
    folder: join(all, name),
    facts,
    count: parts.length,
    extension: 'json',
    // The text of a single part is used without --resume.
    resume: resume || isOne,
    force: false,
    command: isOne ? undefined : 'svc transcribe … --split --resume',
    orElse: '',
  };
}

const forgottenMs = 30 * 24 * 60 * 60 * 1000;
