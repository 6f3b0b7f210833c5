/** The searched texts: the manual of svc, and a folder. */
import type { Clock } from '../../lib/clock.js';
import type { CorpusFile } from './documents.js';
import type { Ranking } from './ranking.js';

/** How long the folder is assumed unchanged, in milliseconds. */
const trustedMs = 2000;

interface CorpusPage {
  readonly text: string;
  readonly mediaType: string;
}

/** Made at the first search, and again after a file of the folder has changed. */
export class Corpus {
  #ranking: Promise<Ranking> | undefined;
  #stamp = '';
  #files: readonly CorpusFile[] = [];
  #lookedAtMs = -Infinity;
  readonly #closing = new AbortController();

  constructor(
    private readonly folder: string | undefined,
    private readonly clock: Clock,
  ) {}

  async ranking(): Promise<Ranking> {
    const files = await this.#currentFiles();
    const stamp = JSON.stringify(files);
    if (this.#ranking && stamp === this.#stamp) return this.#ranking;
    this.#stamp = stamp;
    const ranking = rank(files, this.#closing.signal);
    this.#ranking = ranking;
    ranking.catch(() => {
      if (this.#ranking === ranking) this.#ranking = undefined;
    });
    return ranking;
  }

  /** The text at a result's address, without a key; undefined for none. */
  async page(pathname: string): Promise<CorpusPage | undefined> {
    const { manualPage, readText } = await import('./documents.js');
    const files = pathname.startsWith('/corpus/') ? await this.#currentFiles() : [];
    const file = files.find(({ address }) => address === pathname);
    const text = file ? await readText(file) : manualPage(pathname);
    const mediaType = file?.isMarkdown === false ? 'text/plain' : 'text/markdown';
    return text === undefined ? undefined : { text, mediaType };
  }

  async folderSize(): Promise<number> {
    const { size } = await this.ranking();
    return size - (await import('./documents.js')).manualDocuments().length;
  }

  close(): void {
    this.#closing.abort(new Error('the service was closed'));
  }

  async #currentFiles(): Promise<readonly CorpusFile[]> {
    if (this.folder === undefined) return [];
    const sinceMs = this.clock.now() - this.#lookedAtMs;
    if (sinceMs >= 0 && sinceMs < trustedMs) return this.#files;
    const { findFiles } = await import('./documents.js');
    this.#files = await findFiles(this.folder);
    this.#lookedAtMs = this.clock.now();
    return this.#files;
  }
}

async function rank(files: readonly CorpusFile[], signal: AbortSignal): Promise<Ranking> {
  const { makeRanking } = await import('./ranking.js');
  const { manualDocuments, readDocument } = await import('./documents.js');
  const documents = manualDocuments();
  for (const file of files) {
    signal.throwIfAborted();
    const document = await readDocument(file);
    if (document) documents.push(document);
  }
  return makeRanking(documents, signal);
}
