/** Files named on the command line, with the same errors everywhere. */
import { createReadStream, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { formatBytes } from '../lib/amounts.js';
import type { SizedSource } from '../lib/audio/source.js';
import { GrowingBytes } from '../lib/growing.js';
import { parseJson } from '../lib/json.js';
import { writtenText } from '../lib/plain-text.js';
import { codeOf, failing, fileTrouble } from './file-trouble.js';

/** The pipes of `<(…)` and of stdin by its name; any other pipe may never be written. */
const pipeOfShell = /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/[^/]+\/fd\/\d+)$/;

/** Accepts a file, or a pipe of the shell. */
export async function statNamed(path: string, option?: string): Promise<Stats> {
  if (path === '') {
    throw new UsageError(`${option ?? 'this'} needs a file name`);
  }
  const stats = await stat(path).catch((cause: unknown) => {
    throw readTrouble(cause, path, option);
  });
  if (stats.isDirectory()) throw isFolder(path, option);
  const isPipe = stats.isFIFO() || stats.isSocket();
  if (isPipe && !pipeOfShell.test(path)) throw notRegular(path, option);
  return stats;
}

/** Only regular files: opening a named pipe would wait for its writer. */
export async function openNamed(path: string, option?: string): Promise<OpenFile> {
  const stats = await statNamed(path, option);
  if (stats.isFile()) return openFile(path, about(`cannot read ${path}`, option));
  throw notRegular(path, option);
}

function notRegular(path: string, option: string | undefined): UsageError {
  return new UsageError(about(`${path} is not a regular file; pipe it in and use -`, option), {
    code: 'no_such_file',
  });
}

export async function readBytes(path: string, option?: string): Promise<Buffer> {
  const { size } = await statNamed(path, option);
  if (size > maxRequestBytes) throw tooLarge(about(path, option), size);
  const tooMuch = () => tooLarge(about(path, option));
  return wholeOf(createReadStream(path), tooMuch).catch((cause: unknown) => {
    throw readTrouble(cause, path, option);
  });
}

export async function readText(
  path: string,
  option?: string,
  { keepsMark = false } = {},
): Promise<string> {
  const text = writtenText(await readBytes(path, option), { keepsMark });
  if (text !== undefined) return text;
  throw new UsageError(about(`${path} is not UTF-8 text`, option), { code: 'not_text' });
}

export async function readJsonFile(path: string, option: string): Promise<unknown> {
  return jsonOf(await readText(path, option), path, option);
}

export function jsonOf(text: string, name: string, option: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new UsageError(about(`${name} is not JSON`, option), { code: 'invalid_json', cause });
  }
}

export function readTrouble(cause: unknown, path: string, option?: string): unknown {
  const code = codeOf(cause);
  if (code === 'EISDIR') return isFolder(path, option);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') {
    return fileTrouble(cause, about(`cannot read ${path}`, option));
  }
  return new UsageError(about(`there is no file ${path}`, option), { code: 'no_such_file', cause });
}

function isFolder(path: string, option: string | undefined): UsageError {
  return new UsageError(about(`${path} is a folder`, option), { code: 'is_a_folder' });
}

function about(text: string, option: string | undefined): string {
  return option === undefined ? text : `${option}: ${text}`;
}

/** @param words for them. @throws UsageError where two are the same file */
export function assertDifferent(paths: readonly (string | undefined)[], words: string): void {
  const named = paths.flatMap((path) => (path === undefined || path === '-' ? [] : realName(path)));
  if (new Set(named).size === named.length) return;
  throw new UsageError(`${words} must be different files`, { code: 'same_file' });
}

/** The name of a file that may not exist yet, also where a link leads to it. */
export function realName(path: string): string {
  try {
    // With the letters as they are on disk, where upper and lower case are the same.
    return realpathSync.native(path);
  } catch (error) {
    const full = resolve(path);
    if (codeOf(error) !== 'ENOENT' || dirname(full) === full) return full;
    const folder = realName(dirname(full));
    const link = lstatSync(full, { throwIfNoEntry: false })?.isSymbolicLink();
    return link ? realName(resolve(folder, readlinkSync(full))) : join(folder, basename(full));
  }
}

export interface OpenFile extends SizedSource {
  readonly path?: string;
  close(): Promise<void>;
}

export async function openFile(path: string, failed = `cannot read ${path}`): Promise<OpenFile> {
  const fail = failing(failed);
  const handle = await open(path, 'r').catch(fail);
  const { size: length } = await handle.stat().catch(fail);
  return {
    path,
    length,
    read: async (at, maxLength) => {
      // A source may deliver more than requested, or than memory should hold.
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(maxLength, length - at)));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, at).catch(fail);
      return bytes.subarray(0, bytesRead);
    },
    close: () => handle.close(),
  };
}

export async function withFiles<Result>(
  paths: readonly string[],
  work: (files: readonly OpenFile[]) => Promise<Result>,
): Promise<Result> {
  const files: OpenFile[] = [];
  try {
    for (const path of paths) files.push(await openFile(path));
    return await work(files);
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/** More than the service accepts in any request (section 7). */
export const maxRequestBytes = 71_000_000;

export async function wholeOf(
  pieces: AsyncIterable<unknown>,
  tooMuch: () => Error,
): Promise<Buffer> {
  const bytes = new GrowingBytes();
  for await (const piece of pieces) {
    if (Buffer.isBuffer(piece)) bytes.add(piece);
    if (bytes.length > maxRequestBytes) throw tooMuch();
  }
  return bytes.toBuffer();
}

export function tooLarge(name: string, length?: number): UsageError {
  const most = formatBytes(maxRequestBytes);
  const words = length === undefined ? `more than ${most}` : formatBytes(length);
  return new UsageError(`${name} is ${words} long; the limit is ${most}`, {
    code: 'file_too_large',
    hint: 'no request accepts more; `svc files upload` and `svc embed --lines` read large files in pieces',
  });
}
