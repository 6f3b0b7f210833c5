/** Runs a command of svc for a call of a tool, in this process and under all its rules. */
import { randomUUID } from 'node:crypto';
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { Readable, Writable, type WritableOptions } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Context, Run } from '../../context.js';
import { exits } from '../../exit-codes.js';
import { createFolder } from '../../files/target.js';
import { imageTypeOf } from '../../lib/file-kind.js';
import {
  isRecord,
  listOf,
  parsedJson,
  recordOf,
  textOf,
  toJson,
  type JsonRecord,
} from '../../lib/json.js';

/** One call, as a run of svc: its flags, and the spending of all calls where they have a ceiling. */
interface Call extends Pick<Run, 'argv' | 'flags' | 'onProgress' | 'signal' | 'spending'> {
  /** The absolute path of the folder for results. */
  readonly folder: string;
  /** Whether what is saved in it is linked, and images are sent too. */
  readonly hasFiles: boolean;
  /** The result is an object, which is sent as `structuredContent` too: below this name what is none. */
  readonly structuredAs: string | undefined;
  /** What to call next when it ends while its job continues, which is then a result; else that is an error. */
  readonly nextStep?: string | undefined;
  /** Holds back what it prints, and so the end of a paid run, until a client waits for it. */
  readonly delivery?: (() => Promise<void>) | undefined;
  /** What a line of stderr says to an agent. */
  readonly lineForAgent: (line: string) => string;
}

const max = { stdoutBytes: 256 * 2 ** 20, stderrBytes: 8192, characters: 40_000 };
const maxImageBytes = 3 * 2 ** 20;

/** What MCP returns for a call: the JSON of the command, its images, and words of svc. */
export async function runCall(
  { clock, env, program, version }: Context,
  { delivery, folder, hasFiles, lineForAgent, nextStep, structuredAs, ...shared }: Call,
) {
  const stdout = keeping(max.stdoutBytes, delivery);
  const stderr = keeping(max.stderrBytes);
  const streams = { stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream };
  const code = await program.run({ ...shared, ...streams, env, clock, version });
  const printed = parsedJson(stdout.text());
  const isPending = code === exits.pending[0] && printed !== undefined;
  const next = isPending ? nextStep : undefined;
  const exit = next === undefined ? code : exits.done[0];
  const isStructured = structuredAs !== undefined && (exit === 0 || printed !== undefined);
  const whole = isStructured ? inObject(printed, structuredAs) : printed;
  const data = next === undefined ? whole : { ...recordOf(whole), next };
  const text = (data === undefined ? stdout.text() : toJson(data)).trim();
  const saved = text.length > max.characters ? await savedIn(folder, text, data) : undefined;
  const lines = next === undefined ? stderr.text().trim().split('\n') : [];
  const notes = lines.map(lineForAgent).join('\n');
  const words = [saved ? toJson(saved) : text, notes].filter((one) => one !== '');
  const texts = words.map((one) => ({ type: 'text' as const, text: one }));
  return {
    content: [...texts, ...(hasFiles ? await filesIn(data, folder) : [])],
    isError: exit !== 0,
    ...(exit === 0 && isStructured && { structuredContent: saved ?? recordOf(data) }),
  };
}

/** An object, whatever the service has sent: a client would refuse another result. */
function inObject(printed: unknown, name: string): JsonRecord {
  return isRecord(printed) || printed === undefined ? recordOf(printed) : { [name]: printed };
}

/**
 * Saves a long result: a part of it could not be read as JSON, and may have been paid for. So undefined where
 * it cannot be written: the whole of it is sent.
 */
async function savedIn(
  folder: string,
  text: string,
  data: unknown,
): Promise<JsonRecord | undefined> {
  const savedTo = join(folder, `result-${randomUUID()}.json`);
  try {
    await createFolder(folder);
    await writeFile(savedTo, text, { flag: 'wx', flush: true });
  } catch {
    return undefined;
  }
  return { savedTo, bytes: Buffer.byteLength(text), cost: recordOf(data)['cost'] };
}

/** A stream that keeps its first bytes. @param taken resolves when a command that writes may go on */
function keeping(maxBytes: number, taken?: () => Promise<void>) {
  const pieces: Buffer[] = [];
  let leftBytes = maxBytes;
  const write: WritableOptions['write'] = (piece: Buffer, _encoding, done) => {
    if (leftBytes > 0) pieces.push(Buffer.from(piece.subarray(0, leftBytes)));
    leftBytes -= piece.length;
    if (taken) taken().then(() => done(), done);
    else done();
  };
  const stream = new Writable({ highWaterMark: taken && 1, write });
  return { stream, text: () => Buffer.concat(pieces).toString() };
}

/** Links to the files that a command has saved, then the images among them; larger ones are only linked. */
async function filesIn(data: unknown, folder: string) {
  const files = [data].flat().flatMap((one) => listOf(recordOf(one)['files']));
  const links = [];
  const images = [];
  let leftBytes = maxImageBytes;
  for (const one of files) {
    const path = textOf(recordOf(one)['path']);
    // A reply of the service may contain other paths.
    if (!path?.startsWith(folder + sep) || path.includes(`${sep}..`)) continue;
    const file = await lstat(path).catch(() => undefined);
    if (!file?.isFile()) continue;
    const mimeType = textOf(recordOf(one)['mediaType']);
    const about = { name: basename(path), size: file.size, ...(mimeType && { mimeType }) };
    links.push({ type: 'resource_link' as const, uri: pathToFileURL(path).href, ...about });
    if (file.size > leftBytes) continue;
    const bytes = await readFile(path).catch(() => undefined);
    const imageType = bytes && imageTypeOf(bytes);
    if (!bytes || !imageType) continue;
    leftBytes -= bytes.length;
    images.push({ type: 'image' as const, data: bytes.toString('base64'), mimeType: imageType });
  }
  return [...links, ...images];
}
