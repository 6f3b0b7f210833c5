/** Which requests are answered from the cache, and which of their answers are kept. */
import { createHash } from 'node:crypto';
import type { Endpoint } from '../contract/endpoint.js';
import { SseReader } from '../http/sse.js';
import { piecesOf } from '../http/types.js';
import type { HttpRequest, HttpResponse, ResponseHead } from '../http/types.js';
import { GrowingBytes } from '../lib/growing.js';
import { kindBytes, noMedia } from '../lib/file-kind.js';
import { canonicalJson, parsedJson } from '../lib/json.js';
import { assertAnswer } from './answered.js';
import type { AnswerCache } from './cached.js';
import { Events, readAnswer } from './chat/read.js';
import { readJson } from './json-reply.js';

/** Whether the answer of a row is the same thing whenever it comes: no job, and no link that expires. */
const isKept = ({ id, paid = 'job' }: Endpoint) =>
  ['answer', 'input', 'search'].includes(paid) || id.startsWith('audio.');

/** An answer as it came; of its headers those that readers need. */
interface KeptAnswer extends ResponseHead {
  readonly body: Buffer;
}

/** Where they are kept (state/cache.ts); no method throws. */
interface AnswerStore extends Pick<AnswerCache, 'forget' | 'flush'> {
  readonly maxAnswerBytes: number;
  find(key: string): KeptAnswer | undefined;
  /** @param isWhole asked when nobody waits for the answer; it may throw */
  keep(key: string, answer: KeptAnswer, isWhole: () => Promise<boolean>): void;
}

/** @param account whose answers they are: its service and the hash of its key */
export function answerCache(store: AnswerStore, account: readonly string[]): AnswerCache {
  return {
    about: async (row, request) => {
      // A file that cannot be read fails when it is sent.
      const key = isKept(row) && (await keyOf(account, request).catch(() => false));
      if (typeof key === 'boolean') return undefined;
      const found = store.find(key);
      return {
        found: found && replayed(found),
        kept: (response) =>
          keeping(response, store, key, (...end) => isWhole(row, request, ...end)),
      };
    },
    forget: () => store.forget(),
    flush: () => store.flush(),
  };
}

function keeping(
  response: HttpResponse,
  store: AnswerStore,
  key: string,
  isWhole: (answer: KeptAnswer, isEnded: boolean) => Promise<boolean>,
): HttpResponse {
  const { headers, status } = response;
  if (status < 200 || status >= 300) return response;
  const pipe: HttpResponse['pipe'] = async (sink, memory) => {
    const body = new GrowingBytes();
    let isEnded = false;
    try {
      await response.pipe((piece) => {
        if (body.length <= store.maxAnswerBytes) body.add(memory ? Buffer.from(piece) : piece);
        return sink(piece);
      }, memory);
      isEnded = !response.endsWithConnection;
    } finally {
      // Who reads a stream stops at its terminal event, so that its body has no end.
      const answer = { status, headers: neededOf(headers), body: body.toBuffer() };
      store.keep(key, answer, () => isWhole(answer, isEnded));
    }
  };
  return { ...response, pipe, discard: () => response.discard() };
}

/** What its readers take of an answer's headers: its type and its ids. */
function neededOf(headers: HttpResponse['headers']) {
  const needed = /^(?:content-type|(?:.+-)?(?:request-id|generation-id|route|model))$/;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => needed.test(name)));
}

function replayed({ body, headers, status }: KeptAnswer): HttpResponse {
  const pipe: HttpResponse['pipe'] = async (sink) => {
    await sink(body);
  };
  return { status, headers, isCached: true, pipe, discard: () => undefined };
}

/**
 * Whether the service has answered wholly: read from what is kept, as it is read when it is found.
 * @param isEnded whether the body came to its end; a stream has its terminal event in place of that
 */
async function isWhole(
  row: Endpoint,
  { body }: HttpRequest,
  answer: KeptAnswer,
  isEnded: boolean,
): Promise<boolean> {
  const text = answer.body.toString('latin1');
  if (text === '') return false;
  if (row.returns === 'bytes') {
    return isEnded && noMedia(answer.body.subarray(0, kindBytes)) === undefined;
  }
  const response = replayed(answer);
  if (row.stream) {
    const events = new Events(row.stream, () => undefined);
    await readAnswer(response, row.stream, () => undefined);
    if (/^\s*\{/.test(text)) return isEnded;
    new SseReader(events.add).feed(answer.body);
    return events.isTerminated;
  }
  const reply = await readJson(response);
  if (reply.kind !== 'value' || !isEnded) return false;
  assertAnswer(row, typeof body === 'string' ? body : '', reply.value);
  return true;
}

/** Headers that are not the same in the same request, or say nothing about its answer. */
const withoutMeaning = ['authorization', 'content-type', 'idempotency-key', 'user-agent'];

/** Identifies a request of an account: numbers by their digits, files by their contents. */
async function keyOf(account: readonly string[], request: HttpRequest): Promise<string> {
  const { body, headers, method, url } = request;
  const more = Object.entries(headers).filter(([name]) => !withoutMeaning.includes(name));
  const sum = createHash('sha256');
  sum.update(JSON.stringify([account, method, url.pathname + url.search, more.sort()]));
  if (typeof body === 'string') {
    const value = parsedJson(body);
    sum.update(value === undefined ? body : canonicalJson(value));
  } else if (body && 'open' in body && body.form) {
    const { fields, files } = body.form;
    sum.update(JSON.stringify(fields));
    for (const { content, ...about } of files) {
      sum.update(JSON.stringify([about, content.length]));
      for await (const piece of piecesOf(content)) sum.update(piece);
    }
  } else if (body) for await (const piece of piecesOf(body)) sum.update(piece);
  return sum.digest('hex');
}
