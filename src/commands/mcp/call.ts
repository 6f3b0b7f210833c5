/** Runs a command of svc for a call of a tool, in this process and under all its rules. */
import { randomUUID } from 'node:crypto';
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Context, Run } from '../../context.js';
import { Interrupted } from '../../errors.js';
import { failing } from '../../files/file-trouble.js';
import { createFolder } from '../../files/target.js';
import { imageTypeOf } from '../../lib/file-kind.js';
import { listOf, parsedJson, recordOf, textOf, toJson } from '../../lib/json.js';

/** One call, as a run of svc: its flags, and the spending of all calls where they have a ceiling. */
interface Call extends Pick<Run, 'argv' | 'flags' | 'onProgress' | 'signal' | 'spending'> {
  /** The absolute path of the folder for results. */
  readonly folder: string;
  /** Whether the images that are saved in it are sent too. */
  readonly sendsImages: boolean;
  /** What a line of stderr says to an agent. */
  readonly lineForAgent: (line: string) => string;
}

const max = { stdoutBytes: 256 * 2 ** 20, stderrBytes: 8192, characters: 200_000 };
const maxImageBytes = 3 * 2 ** 20;

/** What MCP returns for a call: the JSON of the command, its images, and words of svc. */
export async function runCall(
  { clock, env, program, version }: Context,
  { folder, sendsImages, lineForAgent, ...shared }: Call,
) {
  const stdout = keeping(max.stdoutBytes);
  const stderr = keeping(max.stderrBytes);
  const ended = new AbortController();
  const onAbort = () => ended.abort(new Interrupted('the call was cancelled'));
  shared.signal.addEventListener('abort', onAbort, { once: true });
  if (shared.signal.aborted) onAbort();
  const streams = { stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream };
  const own = { ...streams, env, clock, version, signal: ended.signal };
  const exit = await program.run({ ...shared, ...own });
  const data = parsedJson(stdout.text());
  const text = data === undefined ? stdout.text() : toJson(data);
  const notes = stderr.text().trim().split('\n').map(lineForAgent).join('\n');
  const words = [await shortened(text.trim(), data, folder), notes].filter((one) => one !== '');
  if (words.length === 0) words.push(`ended with exit code ${exit}`);
  const texts = words.map((one) => ({ type: 'text' as const, text: one }));
  return {
    content: [...texts, ...(sendsImages ? await imagesIn(data, folder) : [])],
    isError: exit !== 0,
  };
}

/** Saves a long result: a part of it could not be read as JSON, and may have been paid for. */
async function shortened(text: string, data: unknown, folder: string): Promise<string> {
  if (text.length <= max.characters) return text;
  const savedTo = join(folder, `result-${randomUUID()}.json`);
  await createFolder(folder);
  await writeFile(savedTo, text, { flag: 'wx', flush: true }).catch(
    failing(`cannot write ${savedTo}`),
  );
  return JSON.stringify({ savedTo, bytes: Buffer.byteLength(text), cost: recordOf(data)['cost'] });
}

/** A stream that keeps its first bytes. */
function keeping(maxBytes: number) {
  const pieces: Buffer[] = [];
  let leftBytes = maxBytes;
  const stream = new Writable({
    write: (piece: Buffer, _encoding, done) => {
      if (leftBytes > 0) pieces.push(Buffer.from(piece.subarray(0, leftBytes)));
      leftBytes -= piece.length;
      done();
    },
  });
  return { stream, text: () => Buffer.concat(pieces).toString() };
}

/** The images among the files that a command has saved; larger ones are only named. */
async function imagesIn(data: unknown, folder: string) {
  const files = [data].flat().flatMap((one) => listOf(recordOf(one)['files']));
  const images = [];
  let leftBytes = maxImageBytes;
  for (const one of files) {
    const path = textOf(recordOf(one)['path']);
    // A reply of the service may contain other paths.
    if (!path?.startsWith(folder + sep) || path.includes(`${sep}..`)) continue;
    const file = await lstat(path).catch(() => undefined);
    if (!file?.isFile() || file.size > leftBytes) continue;
    const bytes = await readFile(path);
    const mimeType = imageTypeOf(bytes);
    if (mimeType === undefined) continue;
    leftBytes -= bytes.length;
    images.push({ type: 'image' as const, data: bytes.toString('base64'), mimeType });
  }
  return images;
}
