/** Ranks documents by a query. */
import { setImmediate } from 'node:timers/promises';
import MiniSearch, { type SearchOptions } from 'minisearch';
import type { searchModes } from '../../contract/enums.js';
import { joinVerbs, termOf } from '../engines/terms.js';
import { cosine, embed } from '../engines/vectors/embed.js';
import type { Document, Writing } from './document.js';
import { snippetOf } from './snippet.js';

type Mode = (typeof searchModes)[number];

export interface Wanted {
  readonly query: string;
  readonly count: number;
  readonly mode: Mode;
  /** Documents written so come first. */
  readonly writing?: Writing;
  /** Documents written so come before others that fit as well. */
  readonly placeWriting?: Writing;
}

export interface Result {
  readonly title: string;
  readonly address: string;
  readonly snippet: string;
}

export interface Ranking {
  readonly size: number;
  /** The documents that fit, the best first. */
  find(wanted: Wanted): Result[];
}

/** What a mode does: `base` and `pro` forgive misspellings, and `pro` compares vectors as well. */
const modes: Readonly<
  Record<Mode, { fuzzy: boolean; compares: boolean; snippetCharacters: number }>
> = {
  turbo: { fuzzy: false, compares: false, snippetCharacters: 200 },
  base: { fuzzy: true, compares: false, snippetCharacters: 300 },
  pro: { fuzzy: true, compares: true, snippetCharacters: 500 },
};

const boosts = { reference: 0.4, place: 1.5 } as const;
/** How many of the best are compared, and how much of each. */
const compared = { documents: 50, characters: 4000 } as const;
/** Characters that are added before others get their turn: some tens of milliseconds. */
const turnCharacters = 50_000;

/** Makes the index. Other work goes on meanwhile; rejects once the signal aborts. */
export async function makeRanking(
  documents: readonly Document[],
  signal: AbortSignal,
): Promise<Ranking> {
  const terms = new Map<string, string | null>();
  const processTerm = (word: string) => {
    let term = terms.get(word);
    if (term === undefined) terms.set(word, (term = termOf(word)));
    return term;
  };
  const index = new MiniSearch({ fields: ['title', 'text'], processTerm });
  let characters = 0;
  for (const [id, { title, text }] of documents.entries()) {
    index.add({ id, title: joinVerbs(title), text: joinVerbs(text) });
    characters += text.length;
    if (characters < turnCharacters) continue;
    characters = 0;
    await setImmediate();
    signal.throwIfAborted();
  }
  terms.clear();
  return {
    size: documents.length,
    find: (wanted) => {
      const hits = index
        .search(joinVerbs(wanted.query), searchOptions(documents, wanted))
        .flatMap(({ id, score, terms }) => {
          const document = documents[Number(id)];
          return document ? [{ document, score, terms }] : [];
        });
      const { compares, snippetCharacters } = modes[wanted.mode];
      const ranked = compares ? compare(wanted.query, hits) : hits;
      return writtenSoFirst(ranked, wanted.writing)
        .slice(0, wanted.count)
        .map(({ document: { title, address, text }, terms }) => ({
          title,
          address,
          snippet: snippetOf(text, new Set(terms), snippetCharacters),
        }));
    },
  };
}

function searchOptions(documents: readonly Document[], wanted: Wanted): SearchOptions {
  const { placeWriting, mode } = wanted;
  const { fuzzy } = modes[mode];
  return {
    boost: { title: 3 },
    prefix: (term) => term.length > 3,
    fuzzy: (term) => fuzzy && term.length > 4 && 0.2,
    boostDocument: (id) => {
      const document = documents[Number(id)];
      return (
        (document?.isReference ? boosts.reference : 1) *
        (placeWriting !== undefined && document?.writing === placeWriting ? boosts.place : 1)
      );
    },
  };
}

interface Hit {
  readonly document: Document;
  readonly score: number;
  readonly terms: readonly string[];
}

function writtenSoFirst(hits: readonly Hit[], writing?: Writing): readonly Hit[] {
  if (writing === undefined) return hits;
  const isSo = ({ document }: Hit) => document.writing === writing;
  return [...hits.filter(isSo), ...hits.filter((hit) => !isSo(hit))];
}

/** Orders the best again, half by their score and half by how near they are to the query. */
function compare(query: string, hits: readonly Hit[]): readonly Hit[] {
  const asked = embed(query);
  const highest = hits[0]?.score ?? 1;
  const nearest = hits.slice(0, compared.documents).map((hit) => {
    const { title, text } = hit.document;
    const near = cosine(asked, embed(`${title}\n${text.slice(0, compared.characters)}`));
    return { hit, score: hit.score / highest + near };
  });
  nearest.sort((a, b) => b.score - a.score);
  return [...nearest.map(({ hit }) => hit), ...hits.slice(compared.documents)];
}
