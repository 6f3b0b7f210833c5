/** Ranks documents by a query. */
import { setImmediate } from 'node:timers/promises';
import MiniSearch from 'minisearch';
import type { searchModes } from '../../contract/enums.js';
import { surrogateStart } from '../engines/plan.js';
import { joinVerbs, termOf } from '../engines/terms.js';
import { cosine, embed } from '../engines/vectors.js';
import type { Document, Writing } from './documents.js';

export interface Query {
  readonly query: string;
  readonly count: number;
  readonly mode: (typeof searchModes)[number];
  readonly writing?: Writing;
  /** These documents precede others that match as well. */
  readonly placeWriting?: Writing;
}

export interface Hit {
  readonly title: string;
  readonly address: string;
  /** The words of the text around the terms of the query. */
  readonly snippet: string;
}

export interface Ranking {
  /** The number of documents. */
  readonly size: number;
  /** The documents that match best, the best first. */
  find(query: Query): Hit[];
}

/** The modes: `base` and `pro` tolerate misspellings, and `pro` also compares vectors. */
const modes = {
  turbo: { fuzzy: false, compares: false, snippetCharacters: 200 },
  base: { fuzzy: true, compares: false, snippetCharacters: 300 },
  pro: { fuzzy: true, compares: true, snippetCharacters: 500 },
} as const satisfies Record<Query['mode'], object>;

const boosts = { reference: 0.4, place: 1.5 } as const;
/** How many of the best are compared, and how much of each. */
const compared = { documents: 50, characters: 4000 } as const;
/** Characters indexed before other work gets its turn: some tens of milliseconds. */
const turnCharacters = 50_000;

/** Makes the index. Other work continues meanwhile; rejects when the signal aborts. */
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
  return { size: documents.length, find: (query) => find(index, documents, query) };
}

function find(
  index: MiniSearch,
  documents: readonly Document[],
  { query, count, mode, writing, placeWriting }: Query,
): Hit[] {
  const { fuzzy, compares, snippetCharacters } = modes[mode];
  const results = index.search(joinVerbs(query), {
    boost: { title: 3 },
    prefix: (term) => term.length > 3,
    // A mistake can change how much of a word its stem is.
    fuzzy: (term) => fuzzy && term.length > 4 && 0.25,
    boostDocument: (id) => {
      const { isReference, writing } = documents[Number(id)] ?? {};
      const isPlace = placeWriting !== undefined && writing === placeWriting;
      return (isReference ? boosts.reference : 1) * (isPlace ? boosts.place : 1);
    },
  });
  const matches = results.flatMap(({ id, score, terms }) => {
    const document = documents[Number(id)];
    return document ? [{ document, score, terms }] : [];
  });
  const rank = ({ document }: Match) =>
    writing === undefined || document.writing === writing ? 0 : 1;
  return (compares ? compare(query, matches) : matches)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, count)
    .map(({ document: { title, address, text }, terms }) => {
      return { title, address, snippet: snippetOf(text, new Set(terms), snippetCharacters) };
    });
}

interface Match {
  readonly document: Document;
  readonly score: number;
  readonly terms: readonly string[];
}

/** Sorts the best again, half by score and half by similarity to the query. */
function compare(query: string, matches: readonly Match[]): Match[] {
  const vector = embed(query);
  const highest = matches[0]?.score ?? 1;
  const nearest = matches.slice(0, compared.documents).map((match) => {
    const { title, text } = match.document;
    const near = cosine(vector, embed(`${title}\n${text.slice(0, compared.characters)}`));
    return { match, score: match.score / highest + near };
  });
  nearest.sort((a, b) => b.score - a.score);
  return [...nearest.map(({ match }) => match), ...matches.slice(compared.documents)];
}

const lead = 1 / 6;

/** One line of at most so many characters: the words with the most terms, or the first. */
export function snippetOf(text: string, terms: ReadonlySet<string>, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const place = bestStart(line, terms, (1 - lead) * length);
  const space = line.indexOf(' ', place - lead * length - 1);
  let from = space < 0 || space >= place ? place : space + 1;
  if (place <= lead * length) from = 0;
  let to = line.length - from <= length ? line.length : line.lastIndexOf(' ', from + length);
  // A text without spaces is cut anywhere except inside a pair.
  if (to <= from) to = surrogateStart(line, from + length);
  return `${from > 0 ? '… ' : ''}${line.slice(from, to)}${to < line.length ? ' …' : ''}`;
}

/** The start of the window with the most different terms; of equals, the first. */
function bestStart(line: string, terms: ReadonlySet<string>, length: number): number {
  const hits = Array.from(line.matchAll(/[\p{L}\p{N}\p{M}]+/gu), ({ 0: word, index: at }) => {
    return { at, end: at + word.length, term: termOf(word) ?? '' };
  }).filter(({ term }) => terms.has(term));
  let best = { at: 0, terms: 0 };
  for (const [i, { at }] of hits.entries()) {
    const near = new Set<string>();
    for (let j = i; (hits[j]?.end ?? Infinity) - at <= length; j += 1) {
      near.add(hits[j]?.term ?? '');
    }
    if (near.size > best.terms) best = { at, terms: near.size };
  }
  return best.at;
}
