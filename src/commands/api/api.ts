/** Sends a request to any path and prints the answer; a refusal too, before the error. */
import { StringDecoder } from 'node:string_decoder';
import { requestPath, retriedAs } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import { cutCode } from '../../api/failure.js';
import { describeContent } from '../../api/json-reply.js';
import { noNextPage } from '../../api/pages.js';
import { idsIn, type RawRequest } from '../../api/prepare.js';
import { describeRefusal, refusalError } from '../../api/refusal.js';
import type { Context, Handler } from '../../context.js';
import { Incomplete, UsageError } from '../../errors.js';
import { pipeFile } from '../../http/download/transfer.js';
import { BodyCut, type HttpResponse, type Sink } from '../../http/types.js';
import { mayCost } from '../../jobs/cost.js';
import { isRecord, listOf, numberOf, parsedJson, recordOf, textOf } from '../../lib/json.js';
import { maxDepth, weigh } from '../../lib/json-weight.js';
import type { Output } from '../../terminal/types.js';
import type { api } from './index.js';
import {
  type ApiOptions,
  carriesKey,
  contentFrom,
  guardSecrets,
  headersFrom,
  methodFrom,
  pathFrom,
  rowFor,
  type PathRow,
} from './request.js';

export const run: Handler<typeof api> = async (context, { args, options }) => {
  const { flags, out } = context;
  const method = methodFrom(args.method);
  if (options.paginate && method !== 'GET') {
    throw new UsageError('--paginate works only with GET', { hint: 'svc api --help' });
  }
  const headers = headersFrom(options.header);
  const { query, payload } = await contentFrom(context, method, options, headers['content-type']);
  const client = await context.client({ key: 'optional' });
  guardSecrets(client, headers);
  const path = pathFrom(args.path, client.baseUrl, query);
  const row = await rowFor(method, path, client.brand);
  // What a terminal cannot show may have been paid for.
  if (row.returns === 'bytes' && !flags.dryRun && out.isScreen) {
    throw new UsageError('the answer is binary and cannot be shown on a terminal', {
      code: 'bytes_to_terminal',
      hint: 'write it to a file: svc api … > FILE',
    });
  }
  const hasSession =
    row.auth === 'session' && client.session !== undefined && !('cookie' in headers);
  const apiRequest: ApiRequest = {
    client,
    row: retriedAs(row, 'idempotency-key' in headers, () => textOf(payload?.body)),
    request: {
      method,
      path,
      headers,
      payload,
      isKeyed: !hasSession && (await carriesKey(context, client, row, headers)),
      hasSession,
      accept: '*/*',
      // A chat that does not stream is made whole before its first byte comes.
      slow: row.slow ?? row.stream !== undefined,
    },
    include: options.include,
  };
  if (options.paginate) await showPages(context, apiRequest, options);
  else await show(context, apiRequest);
};

interface ApiRequest {
  readonly client: Client;
  readonly row: PathRow;
  readonly request: RawRequest;
  readonly include: boolean | undefined;
}

/** What is kept of an answer: a page, to find the next one in it, or the explanation of a refusal. */
const [pageBytes, refusalBytes] = [64 * 1024 * 1024, 256 * 1024];

async function showPages(
  context: Context,
  apiRequest: ApiRequest,
  { slurp }: ApiOptions,
): Promise<void> {
  const { out } = context;
  const [opening, between, closing] = slurp ? ['[', ',', ']\n'] : ['', '', ''];
  const print = (text: string) => (out.isFiltered ? out.jsonText(text) : out.text(text));
  await print(opening);
  const seen = new Set<string>();
  let path: string | undefined = apiRequest.request.path;
  while (path !== undefined && !seen.has(path)) {
    if (seen.size > 0) await print(between);
    seen.add(path);
    const page: ApiRequest = { ...apiRequest, request: { ...apiRequest.request, path } };
    const { bytes, isCutShort } = await show(context, page, pageBytes);
    if (isCutShort) {
      throw new Incomplete('a page is larger than 64 MiB, so the next page cannot be found', {
        code: 'page_too_large',
        hint: 'ask for smaller pages: -F limit=20',
      });
    }
    // On a terminal, each page already ends its last line.
    if (!slurp && !out.isTerminal && bytes.at(-1) !== 0x0a) await print('\n');
    path = nextPath(path, parsedJson(bytes.toString('utf8')));
  }
  await print(closing);
  if (path !== undefined) throw noNextPage();
}

/** The path of the next page; undefined after the last one, or without pages. */
function nextPath(path: string, page: unknown): string | undefined {
  if (!isRecord(page)) return undefined;
  const withParameter = (name: string, value: string) => {
    const [pathname = '', query = ''] = path.split(/\?(.*)/s);
    const parameters = new URLSearchParams(query);
    parameters.set(name, value);
    return `${pathname}?${parameters.toString()}`;
  };
  // Section 2.15.
  const cursor = textOf(page['nextCursor']);
  if (cursor && page['hasMore'] !== false) return withParameter('after', cursor);
  // Section 2.10.
  const fields = [page['page'], page['limit'], page['total']].map(numberOf);
  const [number = Infinity, limit = Infinity, total = 0] = fields;
  const hasRows = listOf(page['data']).length > 0;
  if (hasRows && number * limit < total) return withParameter('page', String(number + 1));
  // Section 2.11.
  const pagination = recordOf(page['pagination']);
  const at = numberOf(pagination['page']) ?? Infinity;
  const last = numberOf(pagination['totalPages']) ?? 0;
  return at < last ? withParameter('page', String(at + 1)) : undefined;
}

async function show(context: Context, apiRequest: ApiRequest, keepBytes = refusalBytes) {
  const { row, request, include } = apiRequest;
  const { out } = context;
  const printed = async (client: Client, response: HttpResponse, isUncertain: boolean) => {
    const { status, headers } = response;
    if (include) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      await out.text(`HTTP/1.1 ${String(status)}\r\n${lines.join('')}\r\n`);
    }
    const isDone = status >= 200 && status < 300;
    const printer = bodyPrinter(out, headers, isDone);
    const pieces: Buffer[] = [];
    let length = 0;
    const take: Sink = (piece) => {
      if (length <= keepBytes) pieces.push(piece);
      length += piece.length;
      return printer.take(piece);
    };
    const isFile = isDone && row.returns === 'bytes';
    const piping = isFile ? pipeFile(response, take) : response.pipe(take);
    const broken = await piping.then(() => undefined, incomplete);
    await printer.end();
    const bytes = Buffer.concat(pieces).subarray(0, keepBytes);
    const shown = { bytes, isCutShort: length > keepBytes };
    // Of an endpoint that is not listed, a page may be the answer.
    const isPage =
      row.returns !== undefined &&
      row.retry !== 'safe' &&
      describeContent(bytes.toString('utf8'), headers['content-type'] ?? '') === 'an HTML page';
    if (!isDone || isPage) {
      const { brand, clock } = client;
      const refused = { row, ids: idsIn(response, brand), brand, nowMs: clock.now(), isUncertain };
      throw refusalError(describeRefusal(response, shown, refused), row);
    }
    return { ...shown, status, headers, broken };
  };
  const showFor = async (client: Client) => {
    const { broken, ...shown } = await requestPath(client, request, row, (response, isUncertain) =>
      printed(client, response, isUncertain),
    );
    if (broken) throw broken;
    return shown;
  };
  return row.retry === 'safe'
    ? showFor(apiRequest.client)
    : mayCost(context, apiRequest.client, showFor);
}

function incomplete(error: unknown): Incomplete {
  if (error instanceof Incomplete) return error;
  if (!(error instanceof BodyCut)) throw error;
  return new Incomplete(`the answer is incomplete: ${error.message}`, {
    code: cutCode('answer', error),
    cause: error,
    hint: 'the part that arrived is on stdout',
  });
}

/** Bytes to a pipe; to a terminal text as it arrives, or formatted JSON of up to 1 MiB. */
function bodyPrinter(out: Output, headers: HttpResponse['headers'], isDone: boolean) {
  const decoder = new StringDecoder('utf8');
  let isBuffered = /\bjson\b/i.test(headers['content-type'] ?? '');
  if (out.isFiltered && isBuffered && isDone) {
    return {
      take: (piece: Buffer) => out.jsonText(decoder.write(piece)),
      end: () => out.jsonText(decoder.end()),
    };
  }
  if (!out.isTerminal) {
    return { take: (piece: Buffer) => out.bytes(piece), end: () => undefined };
  }
  let buffered = '';
  let last = '\n';
  const print = (text: string) => {
    last = text || last;
    return text === '' ? undefined : out.text(text);
  };
  return {
    take: (piece: Buffer) => {
      const text = buffered + decoder.write(piece);
      isBuffered &&= text.length <= 1024 * 1024;
      buffered = isBuffered ? text : '';
      return isBuffered ? undefined : print(text);
    },
    end: async () => {
      const text = buffered + decoder.end();
      const value = isBuffered ? parsedJson(text) : undefined;
      // A number by itself would lose its digits.
      if (typeof value === 'object' && weigh(Buffer.from(text)).depth <= maxDepth)
        return out.json(value);
      await print(text);
      if (!last.endsWith('\n')) await out.text('\n');
    },
  };
}
