/** Reads the texts of a folder, within bounds, and nothing outside it. */
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ServiceFailure } from '../failure.js';
import { writingOf, type Document } from './document.js';
import { plainText, splitTitle } from './plain.js';

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

/** A text of the folder. */
export interface FoundFile {
  /** Where it really is. */
  readonly path: string;
  /** Where the service shows it: `/corpus/deep/a%20text.md`. */
  readonly address: string;
  readonly isMarkdown: boolean;
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
  await walk({ path: root, address: '/corpus', depth: 0 }, files, budget);
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

interface Place {
  readonly path: string;
  readonly address: string;
  readonly depth: number;
}

async function walk(folder: Place, files: FoundFile[], budget: Budget): Promise<void> {
  const entries = await readdir(folder.path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    budget.entries -= 1;
    if (budget.entries < 0 || files.length >= folderLimits.files) return;
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const place = {
      path: join(folder.path, entry.name),
      address: `${folder.address}/${nameInAddress(entry.name)}`,
      depth: folder.depth + 1,
    };
    if (entry.isDirectory()) {
      if (place.depth <= folderLimits.depth) await walk(place, files, budget);
    } else if (entry.isFile()) {
      const found = await look(place);
      if (!found || found.byteLength > Math.min(folderLimits.fileBytes, budget.bytes)) continue;
      budget.bytes -= found.byteLength;
      files.push(found);
    }
  }
}

/** Half a pair of units, which a name may hold, becomes U+FFFD. */
function nameInAddress(name: string): string {
  return encodeURIComponent(Buffer.from(name).toString());
}

async function look({ path, address }: Place): Promise<FoundFile | undefined> {
  const extension = extname(path).toLowerCase();
  const isMarkdown = markdown.has(extension);
  if (!isMarkdown && !plain.has(extension)) return undefined;
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  return { path, address, isMarkdown, byteLength: stats.size, mtimeMs: stats.mtimeMs };
}

/** A file as the search knows it; undefined when it cannot be read or is no UTF-8 text. */
export async function readDocument(file: FoundFile): Promise<Document | undefined> {
  const source = await readText(file);
  if (source === undefined) return undefined;
  const { path, address, isMarkdown } = file;
  const { title, rest } = isMarkdown ? splitTitle(source) : { rest: source };
  const text = isMarkdown ? plainText(rest) : rest;
  return { title: title ?? basename(path), address, text, writing: writingOf(text) };
}

/** What is in a file now; undefined when it cannot be read or is no UTF-8 text. */
export async function readText({ path }: Pick<FoundFile, 'path'>): Promise<string | undefined> {
  const text = await readInPlace(path).catch(() => undefined);
  return text?.includes('\0') ? undefined : text;
}

async function readInPlace(path: string): Promise<string | undefined> {
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
