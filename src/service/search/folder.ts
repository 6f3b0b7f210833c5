/** Reads the texts of a folder, within bounds, and nothing outside it. */
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ServiceFailure } from '../failure.js';
import { writingOf, type Document } from './document.js';
import { plainText, titleOf } from './plain.js';

const mib = 1024 * 1024;

/** Larger files are passed over; once there are so many files or bytes, so is the rest. */
export const folderLimits = {
  fileBytes: mib,
  files: 5000,
  totalBytes: 16 * mib,
  /** Of any kind, and how deep folders nest. */
  entries: 100_000,
  depth: 32,
} as const;

const markdown = new Set(['.md', '.markdown']);
const plain = new Set(['.txt', '.text']);

/** A text of the folder, by its real path. */
export interface FoundFile {
  readonly path: string;
  readonly byteLength: number;
  readonly mtimeMs: number;
}

/**
 * The texts of a folder, by name. Links are not followed: what they lead to is either outside, or
 * found in its own place. Hidden names and what cannot be read are passed over.
 * @throws ServiceFailure 400 when the folder itself cannot be read
 */
export async function findFiles(folder: string): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  const budget = { entries: folderLimits.entries, bytes: folderLimits.totalBytes };
  const root = await realpath(folder).catch(refuse);
  await readdir(root).catch(refuse);
  await walk(root, 0, files, budget);
  return files;
}

function refuse(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new ServiceFailure(400, 'corpus_unusable', `the folder to search cannot be read: ${why}`);
}

interface Budget {
  entries: number;
  bytes: number;
}

async function walk(
  folder: string,
  depth: number,
  files: FoundFile[],
  budget: Budget,
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    budget.entries -= 1;
    if (budget.entries < 0 || files.length >= folderLimits.files) return;
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth < folderLimits.depth) await walk(path, depth + 1, files, budget);
    } else if (entry.isFile() && isText(path)) {
      const found = await look(path);
      if (!found || found.byteLength > Math.min(folderLimits.fileBytes, budget.bytes)) continue;
      budget.bytes -= found.byteLength;
      files.push(found);
    }
  }
}

function isText(path: string): boolean {
  const extension = extname(path).toLowerCase();
  return markdown.has(extension) || plain.has(extension);
}

async function look(path: string): Promise<FoundFile | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() ? { path, byteLength: stats.size, mtimeMs: stats.mtimeMs } : undefined;
}

/** A file as the search knows it; undefined when it cannot be read or is no UTF-8 text. */
export async function readDocument({ path }: FoundFile): Promise<Document | undefined> {
  const source = await readText(path).catch(() => undefined);
  if (source === undefined || source.includes('\0')) return undefined;
  const isMarkdown = markdown.has(extname(path).toLowerCase());
  const text = isMarkdown ? plainText(source) : source;
  const title = isMarkdown ? titleOf(source) : undefined;
  return {
    title: title ?? basename(path),
    address: pathToFileURL(path).href,
    text,
    writing: writingOf(text),
  };
}

async function readText(path: string): Promise<string | undefined> {
  // Not a link, and not a pipe to wait for, even if it has become one since it was found.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags);
  try {
    const stats = await handle.stat();
    // A folder above it may have become a link.
    const isHere = (await realpath(path)) === path;
    if (!isHere || !stats.isFile() || stats.size > folderLimits.fileBytes) return undefined;
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
