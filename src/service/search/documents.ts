/** The searched pages of the manual and files of a folder, as plain text. */
import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { textIn } from '../../lib/file-kind.js';
import { commandBlock, passages, type Passage } from '../engines/manual.js';
import { messageOf, ServiceFailure } from '../failure.js';

export interface Document {
  readonly title: string;
  /** An URL, or a path below the service's own origin. */
  readonly address: string;
  readonly text: string;
  readonly writing: Writing;
  /** Reference pages rank below pages that explain. */
  readonly isReference?: boolean;
}

/** How a language is recognised in a text. */
export type Writing = 'latin' | 'cyrillic' | 'other';

export function writingOf(text: string): Writing {
  const start = text.slice(0, 4000);
  const latin = start.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const cyrillic = start.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  if (letters - latin - cyrillic > letters / 2) return 'other';
  return cyrillic > latin ? 'cyrillic' : 'latin';
}

export function writingOfLanguage(language: string): Writing {
  const writings: Readonly<Record<string, Writing>> = { Latn: 'latin', Cyrl: 'cyrillic' };
  return writings[new Intl.Locale(language).maximize().script ?? 'Latn'] ?? 'other';
}

/** The language of a country, by its two letters; undefined where none dominates. */
export function writingOfCountry(country: string): Writing | undefined {
  return writingOfLanguage(`und-${country}`) === 'cyrillic' ? 'cyrillic' : undefined;
}

/** Removes Markdown marks; other text is unchanged. */
export function plainText(markdown: string): string {
  return (
    markdown
      .replace(/^---\n.*?\n---\n/s, '')
      .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
      .replace(/^ {0,3}#{1,6} +/gm, '')
      .replace(/^ {0,3}>+ ?/gm, '')
      .replace(/^ *[-*+] +/gm, '')
      // Comments, and certain tags: <name> alone may be a placeholder.
      .replace(/<!--[^>]{0,500}-->|<\/[a-z]\w{0,20}>|<[a-z]\w{0,20} [^<>\n]{0,500}>/gi, '')
      // The link targets of a text are at its end.
      .replace(/^ {0,3}\[[^\]\n]{1,300}\]: \S.*$/gm, '')
      .replace(/!?\[([^\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,300}\])/g, '$1')
      .replace(/[`*]/g, '')
  );
}

export function splitTitle(markdown: string): { title?: string; rest: string } {
  const heading = /^ {0,3}#{1,2} +(.+?) *#*$/m.exec(markdown.slice(0, 20_000));
  const title = plainText(heading?.[1] ?? '').trim();
  if (!heading || title === '') return { rest: markdown };
  const end = heading.index + heading[0].length;
  return { title, rest: markdown.slice(0, heading.index) + markdown.slice(end) };
}

/** Passages by their paths in the service: `/manual/getting-started`. */
const byAddress: ReadonlyMap<string, Passage> = new Map(
  passages.map((passage) => {
    const slug = passage.title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    return [`/manual/${slug.replace(/^-|-$/g, '')}`, passage];
  }),
);

export function manualDocuments(): Document[] {
  return Array.from(byAddress, ([address, { title, text: markdown, command, isReference }]) => {
    const words = plainText(markdown);
    const text = command ? `${words}\n${command}` : words;
    return { title: plainText(title), address, text, writing: writingOf(words), isReference };
  });
}

export function manualPage(address: string): string | undefined {
  const passage = byAddress.get(address);
  return passage && `# ${passage.title}\n\n${passage.text}\n${commandBlock(passage)}`;
}

const mib = 1024 * 1024;

/** Larger files are skipped; so is the rest beyond so many files or bytes. */
export const folderLimits = {
  fileBytes: mib,
  files: 5000,
  totalBytes: 16 * mib,
  entries: 100_000,
} as const;

export interface CorpusFile {
  readonly path: string;
  readonly address: string;
  readonly isMarkdown: boolean;
  readonly byteLength: number;
  readonly mtimeMs: number;
}

/** The texts of a folder, by name; links, hidden and unreadable files are skipped. */
export async function findFiles(folder: string): Promise<CorpusFile[]> {
  const files: CorpusFile[] = [];
  const budget = { entries: folderLimits.entries, bytes: folderLimits.totalBytes };
  try {
    const root = await realpath(folder);
    await readdir(root);
    await walk(root, '/corpus', files, budget);
  } catch (error) {
    const message = `the folder to search cannot be read: ${messageOf(error)}`;
    throw new ServiceFailure(400, 'corpus_unusable', message);
  }
  return files;
}

async function walk(
  folder: string,
  folderAddress: string,
  files: CorpusFile[],
  budget: { entries: number; bytes: number },
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    budget.entries -= 1;
    if (budget.entries < 0 || files.length >= folderLimits.files) return;
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    const address = `${folderAddress}/${encodeURIComponent(Buffer.from(entry.name).toString())}`;
    if (entry.isDirectory()) {
      await walk(path, address, files, budget);
      continue;
    }
    const extension = extname(path).toLowerCase();
    const isMarkdown = ['.md', '.markdown'].includes(extension);
    if (!entry.isFile() || !(isMarkdown || ['.txt', '.text'].includes(extension))) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile() || stats.size > Math.min(folderLimits.fileBytes, budget.bytes)) continue;
    const { size: byteLength, mtimeMs } = stats;
    budget.bytes -= byteLength;
    files.push({ path, address, isMarkdown, byteLength, mtimeMs });
  }
}

export async function readDocument(file: CorpusFile): Promise<Document | undefined> {
  const source = await readText(file);
  if (source === undefined) return undefined;
  const { path, address, isMarkdown } = file;
  const { title, rest } = isMarkdown ? splitTitle(source) : { rest: source };
  const text = isMarkdown ? plainText(rest) : rest;
  return { title: title ?? basename(path), address, text, writing: writingOf(text) };
}

export async function readText({ path }: Pick<CorpusFile, 'path'>): Promise<string | undefined> {
  // Not a link or a pipe, even if it has become one since.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  try {
    const stats = await handle?.stat();
    if (!handle || !stats?.isFile() || stats.size > folderLimits.fileBytes) return undefined;
    // A folder above it may have become a link.
    return (await realpath(path)) === path ? textIn(await handle.readFile()) : undefined;
  } catch {
    return undefined;
  } finally {
    await handle?.close();
  }
}
