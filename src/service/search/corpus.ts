/** What the search looks through: the manual of svc, and the texts of a folder. */
import type { Clock } from '../../lib/clock.js';
import type { FoundFile } from './folder.js';
import type { Ranking } from './ranking.js';

/** How long it is taken for granted that the folder has not changed, in milliseconds. */
const trustedMs = 2000;

/** Made at the first search, and anew when a file of the folder has changed. */
export class Corpus {
  readonly #clock: Clock;
  readonly #folder: string | undefined;
  #ranking: Promise<Ranking> | undefined;
  #stamp = '';
  #lookedAtMs = -Infinity;
  readonly #closing = new AbortController();

  /** @param folder searched besides the manual */
  constructor(folder: string | undefined, clock: Clock) {
    this.#folder = folder;
    this.#clock = clock;
  }

  /** The documents as they are now, within two seconds. */
  async ranking(): Promise<Ranking> {
    const sinceMs = this.#clock.now() - this.#lookedAtMs;
    if (this.#ranking && (this.#folder === undefined || (sinceMs >= 0 && sinceMs < trustedMs))) {
      return this.#ranking;
    }
    this.#lookedAtMs = this.#clock.now();
    const files = await filesOf(this.#folder);
    const stamp = files.map(stampOf).join('\n');
    if (!this.#ranking || stamp !== this.#stamp) {
      this.#stamp = stamp;
      const ranking = rank(files, this.#closing.signal);
      this.#ranking = ranking;
      // What failed is tried again.
      ranking.catch(() => {
        if (this.#ranking === ranking) this.#ranking = undefined;
      });
    }
    return this.#ranking;
  }

  /** Makes the index, and says how many texts of the folder are in it. */
  async folderSize(): Promise<number> {
    const { size } = await this.ranking();
    return size - (await import('./manual-pages.js')).manualDocuments().length;
  }

  /** Gives up whatever index is being made. */
  close(): void {
    this.#closing.abort(new Error('the service was closed'));
  }
}

async function filesOf(folder: string | undefined): Promise<readonly FoundFile[]> {
  if (folder === undefined) return [];
  return (await import('./folder.js')).findFiles(folder);
}

function stampOf({ path, byteLength, mtimeMs }: FoundFile): string {
  return `${path}\0${byteLength}\0${mtimeMs}`;
}

async function rank(files: readonly FoundFile[], signal: AbortSignal): Promise<Ranking> {
  const [{ makeRanking }, { manualDocuments }, { readDocument }] = await Promise.all([
    import('./ranking.js'),
    import('./manual-pages.js'),
    import('./folder.js'),
  ]);
  const documents = manualDocuments();
  for (const file of files) {
    signal.throwIfAborted();
    const document = await readDocument(file);
    if (document) documents.push(document);
  }
  return makeRanking(documents, signal);
}
