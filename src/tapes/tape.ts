/**
 * A tape: requests and their answers in one file of JSON lines, made to be read, edited and kept in
 * a repository. The first line is `{"svcTape":1,"ignore":["$.metadata.id"]}`: what varies by nature
 * in the bodies of requests, as JSON paths (`$.a`, `['a b']`, `[0]`, `[*]`; of a form `$.name`), and does not count.
 * Each other line is an exchange:
 *
 *   {"request":{"method":"POST","path":"/v1/…?a=b","json":{…}},
 *    "answer":{"status":200,"headers":{…},"ms":12,"json":{…}}}
 *
 * A request's body is `json` with sorted fields, in which a file in base64 is its hash; `text`;
 * `form`, its parts with files by hash; or `sha256` and `bytes`. That of an answer is `json`, where
 * its bytes are exactly that; `text`; `pieces`, as `[ms,text]` or `[ms,{"base64":…}]` for what is cut
 * within a character; or `file`, the name of one in the folder TAPE.files, with `[ms,bytes]` as
 * pieces where it is a stream. `cut` says that the answer broke off then, and how. Times count from the
 * request. A line that breaks off, of a recording that was killed, is as good as absent.
 */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { LocalFileError } from '../errors.js';
import { failing } from '../files/file-trouble.js';
import { jsonFault, parseJson } from '../lib/json.js';
import { maxDepth, weigh } from '../lib/json-weight.js';
import { openOwn } from '../lib/own-file.js';
import { utf8Text } from '../lib/plain-text.js';

const Part = z.object({
  name: z.string(),
  filename: z.optional(z.string()),
  value: z.optional(z.string()),
  sha256: z.optional(z.string()),
  bytes: z.optional(z.number()),
});

const NotedRequest = z.object({
  method: z.string(),
  /** With its query, and without its host. */
  path: z.string(),
  json: z.optional(z.unknown()),
  text: z.optional(z.string()),
  form: z.optional(z.readonly(z.array(Part))),
  sha256: z.optional(z.string()),
  bytes: z.optional(z.number()),
});
export type NotedRequest = Readonly<z.output<typeof NotedRequest>>;

const base64 = z.object({ base64: z.string() });
const NotedPiece = z.readonly(
  z.tuple([z.number(), z.union([z.string(), z.int().check(z.gte(0)), base64])]),
);
/** Of another form, a header could begin the next one. */
const Headers = z.record(
  z.string().check(z.regex(/^[!#$%&'*+.^`|~\w-]+$/)),
  z.string().check(z.regex(/^[\t\x20-\x7e\x80-\xff]*$/)),
);
export type NotedPiece = z.output<typeof NotedPiece>;

const NotedAnswer = z.object({
  status: z.int().check(z.gte(200), z.lte(599)),
  headers: Headers,
  /** Until its head. */
  ms: z.number(),
  json: z.optional(z.unknown()),
  text: z.optional(z.string()),
  pieces: z.optional(z.readonly(z.array(NotedPiece))),
  file: z.optional(z.string().check(z.regex(/^[\w-][\w.-]*$/))),
  cut: z.optional(z.enum(['reset', 'truncated', 'idle-timeout'])),
});
export type NotedAnswer = Readonly<z.output<typeof NotedAnswer>>;

const Head = z.object({
  svcTape: z.literal(1),
  ignore: z.optional(z.readonly(z.array(z.string()))),
});
const Exchange = z.object({ request: NotedRequest, answer: NotedAnswer });
export type Exchange = Readonly<z.output<typeof Exchange>>;

/** Where a line is in the file, in bytes. */
export interface Line {
  readonly number: number;
  readonly at: number;
  readonly length: number;
}

/** What svc itself puts into requests: the id of a ticket, and limits by what a ceiling leaves. */
const ofSvc = [
  ...['$.clientIncidentId', '$.max_tokens', '$.max_completion_tokens'],
  ...['$.max_output_tokens', '$.max_price_rub'],
];
/** Ids by which codex and claude mark their requests, and that no answer depends on. */
const ofPrograms = [
  '$.client_metadata',
  '$.prompt_cache_key',
  '$.input[*].id',
  '$.metadata.user_id',
];
const ignored = [...ofSvc, ...ofPrograms];
const newHead = `${JSON.stringify({ svcTape: 1, ignore: ignored })}\n`;

const lineFeed = 0x0a;
const blockBytes = 256 * 1024;
const maxLineMiB = 64;

/** One file, read line by line: its answers are not kept in memory. */
export class TapeFile {
  /** The folder of its answers that are files. */
  readonly folder: string;

  constructor(readonly path: string) {
    this.folder = join(dirname(path), `${basename(path)}.files`);
  }

  /** Hands over the paths that do not count, then each exchange. @throws LocalFileError */
  read(onIgnored: (paths: readonly string[]) => void, on: (one: Exchange, line: Line) => void) {
    let isTape = false;
    for (const [bytes, line] of this.#lines()) {
      const value = this.#valueOf(bytes, line);
      if (value === undefined) continue;
      const head = Head.safeParse(value).data;
      if (head) onIgnored(head.ignore ?? []);
      else if (isTape) on(this.#exchangeIn(value, line), line);
      else throw this.#fault(line, 'does not begin a tape: {"svcTape":1}');
      isTape = true;
    }
    if (!isTape) throw this.#fault({ number: 1 }, 'does not begin a tape: {"svcTape":1}');
  }

  exchangeAt(line: Line): Exchange {
    const bytes = Buffer.alloc(line.length);
    inFile(this.path, (handle) => fs.readSync(handle, bytes, 0, line.length, line.at));
    return this.#exchangeIn(this.#valueOf(bytes, line), line);
  }

  /**
   * Begins a tape, or checks that this is one. Several processes may write to it at once: each adds
   * whole lines, and begins a line of its own after one that breaks off. @throws LocalFileError
   */
  begin(): void {
    if (this.append('') === 0) return;
    const { value: [bytes, line] = [Buffer.alloc(0), { number: 1 }] } = this.#lines().next();
    if (Head.safeParse(this.#valueOf(bytes, line)).success) return;
    throw this.#fault(line, 'does not begin a tape; record into another file');
  }

  /** @returns the size of the file before. @throws LocalFileError */
  append(line: string): number {
    const write = (handle: number) => {
      const { size } = fs.fstatSync(handle);
      const last = Buffer.from([lineFeed]);
      if (size > 0 && line !== '') fs.readSync(handle, last, 0, 1, size - 1);
      const start = size === 0 ? newHead : last[0] === lineFeed ? '' : '\n';
      const bytes = Buffer.from(start + line);
      for (let at = 0; at < bytes.length;) at += fs.writeSync(handle, bytes, at);
      return size;
    };
    return inFile(this.path, write, 'a+');
  }

  *#lines(): Generator<[bytes: Buffer, line: Line], undefined> {
    let rest = Buffer.alloc(0);
    let at = 0;
    for (let number = 1, isMore = true; isMore;) {
      // Of a long line as much again, so that it is not copied often.
      const block = Buffer.allocUnsafe(Math.max(blockBytes, rest.length));
      const from = at + rest.length;
      const read = (handle: number) => fs.readSync(handle, block, 0, block.length, from);
      const length = inFile(this.path, read);
      isMore = length > 0;
      rest = Buffer.concat([rest, block.subarray(0, length)]);
      for (let end = 0; end >= 0 && rest.length > 0; number += 1) {
        end = rest.indexOf(lineFeed);
        if (rest.length > maxLineMiB * 1024 ** 2 && end < 0) {
          throw this.#fault({ number }, `is longer than ${maxLineMiB} MiB`);
        }
        if (end < 0 && isMore) break;
        const bytes = end < 0 ? rest : rest.subarray(0, end);
        yield [bytes, { number, at, length: bytes.length }];
        rest = rest.subarray(end < 0 ? rest.length : end + 1);
        at += bytes.length + 1;
      }
    }
  }

  /** Undefined for a line that is empty or breaks off. */
  #valueOf(bytes: Buffer, line: Pick<Line, 'number'>): unknown {
    const text = utf8Text(bytes, { isCut: true })
      ?.replace(/^\ufeff/, '')
      .trim();
    if (text === '') return undefined;
    if (weigh(bytes).depth > maxDepth) throw this.#fault(line, 'nests too deeply');
    try {
      return parseJson(text ?? '');
    } catch (error) {
      if (text !== undefined && breaksOff(text)) return undefined;
      throw this.#fault(line, `is not JSON${text === undefined ? '' : jsonFault(text, error)}`);
    }
  }

  #exchangeIn(value: unknown, line: Pick<Line, 'number'>): Exchange {
    const { data } = Exchange.safeParse(value);
    if (data) return data;
    throw this.#fault(line, 'is not an exchange: {"request":{…},"answer":{…}}');
  }

  #fault({ number }: Pick<Line, 'number'>, what: string): LocalFileError {
    return new LocalFileError(`${this.path}: line ${number} ${what}`, {
      code: 'tape_damaged',
      hint: 'correct the line, or record the tape again',
    });
  }
}

/**
 * Where an answer of a tape is, which somebody else may have made: a link in its folder could lead
 * to any file of who plays it. @throws LocalFileError
 */
export function answerPath(folder: string, name: string): string {
  const path = join(folder, name);
  let isOwn = false;
  try {
    const own = `${fs.realpathSync(folder.slice(0, -'.files'.length))}.files`;
    isOwn = fs.realpathSync(path) === join(own, name);
  } catch (error) {
    return failing(`cannot read the tape ${path}`)(error);
  }
  if (isOwn) return path;
  throw new LocalFileError(`${path}: a link leads out of the tape`, {
    code: 'tape_damaged',
    hint: 'put the file itself there',
  });
}

/** Reads a file of a tape, or adds to it. @throws LocalFileError */
export function inFile<Result>(path: string, use: (handle: number) => Result, how?: 'a+'): Result {
  let handle: number | undefined;
  try {
    // To open a pipe would wait for its other end.
    if (how && fs.existsSync(path)) fs.closeSync(openOwn(path, 'read'));
    handle = how ? fs.openSync(path, how) : openOwn(path, 'read');
    return use(handle);
  } catch (error) {
    return failing(`cannot ${how ? 'write' : 'read'} the tape ${path}`)(error);
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** Whether brackets are still open at its end, in the words of no engine of JavaScript. */
function breaksOff(text: string): boolean {
  let open = 0;
  let isText = false;
  for (const [mark] of text.matchAll(/\\.|["[\]{}]/gs)) {
    if (mark === '"') isText = !isText;
    else if (!isText && mark.length === 1) open += '[{'.includes(mark) ? 1 : -1;
  }
  return open > 0;
}
