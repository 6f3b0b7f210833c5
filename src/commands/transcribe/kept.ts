/** What was heard of the parts of a recording, until all of it has been given out. */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Context } from '../../cli/context.js';
import { codeOf, fileTrouble } from '../../files/file-trouble.js';
import { PartFile } from '../../files/part-file.js';
import { span } from '../../lib/audio/source.js';
import { makeFolder, readOwn } from '../../lib/own-file.js';
import { keptPieces, type KeptPieces } from '../kept-pieces.js';
import type { Fields } from './transcribe.js';
import type { Part, Recording } from './recording.js';

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
 * @throws as `keptPieces` does.
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
