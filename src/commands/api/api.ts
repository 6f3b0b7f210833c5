import { requestPath, unlistedRow } from '../../api/call.js';
import { withOneDeadline, type Client } from '../../api/client.js';
import { noWayOn } from '../../api/pages.js';
import type { Payload } from '../../api/prepare.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import type { Brand } from '../../contract/brand.js';
import type { Endpoint, RetryClass } from '../../contract/endpoint.js';
import { Incomplete, UsageError } from '../../errors.js';
import { recordOf, isRecord, listOf, numberOf, textOf, type JsonRecord } from '../../lib/json.js';
import { mayCost } from '../../jobs/cost.js';
import {
  carriesKey,
  guardSecrets,
  contentFrom,
  headersFrom,
  methodFrom,
  type ApiInput,
  pathFrom,
  withQuery,
} from './request.js';
import type { api } from './index.js';
import { showAnswer } from './show.js';

/** Sends a request to any path and prints the answer; a refusal too, before the error. */
export const run: Handler<typeof api> = async (context, { args, options }) => {
  const method = methodFrom(args.method);
  if (options.paginate && method !== 'GET') {
    throw new UsageError('--paginate is for GET alone', { code: 'usage', hint: 'svc api --help' });
  }
  const headers = headersFrom(options.header);
  const { query, payload } = await contentFrom(context, method, options, headers['content-type']);
  const client = await context.client({ key: 'optional' });
  guardSecrets(client, headers);
  const path = withQuery(pathFrom(args.path, client.baseUrl), query);
  const row = await rowFor(method, path, client.brand);
  assertShowable(context, row);
  const hasSession =
    row.auth === 'session' && client.session !== undefined && !('cookie' in headers);
  const asked: Asked = {
    row: { ...row, retry: retryOf(row, headers, payload) },
    request: {
      method,
      headers,
      payload,
      isKeyed: !hasSession && (await carriesKey(context, client, row, headers)),
      hasSession,
      accept: '*/*',
      // A chat that does not stream is made whole before its first byte comes.
      slow: row.slow ?? row.stream !== undefined,
    },
  };
  if (options.paginate) await showPages(context, client, asked, path, options);
  else await show(context, client, asked, path, options);
};

interface Asked {
  readonly row: Row;
  readonly request: Omit<Parameters<typeof requestPath>[1], 'path'>;
}

/** Asks and prints; gives the first bytes of the body. */
async function show(
  context: Context,
  client: Client,
  { row, request }: Asked,
  path: string,
  { include }: Pick<ApiInput['options'], 'include'>,
  keepBytes?: number,
) {
  const { out } = context;
  const shown = async (paying: Client) => {
    const response = await requestPath(paying, { ...request, path }, row);
    return showAnswer(response, { out, client, row, include, keepBytes });
  };
  return row.retry === 'safe' ? shown(client) : mayCost(context, client, shown);
}

/** A page of more could not be read to find what follows it. */
const pageBytes = 64 * 1024 * 1024;

async function showPages(
  context: Context,
  client: Client,
  asked: Asked,
  first: string,
  options: ApiInput['options'],
): Promise<void> {
  const { out } = context;
  const [opening, between, closing] = options.slurp ? ['[', ',', ']\n'] : ['', '', ''];
  await out.text(opening);
  const hurried = withOneDeadline(client);
  const seen = new Set<string>();
  let path: string | undefined = first;
  while (path !== undefined && !seen.has(path)) {
    if (seen.size > 0) await out.text(between);
    seen.add(path);
    const { bytes, isCutShort } = await show(context, hurried, asked, path, options, pageBytes);
    if (isCutShort) {
      throw new Incomplete('a page is larger than 64 MiB, so the next one is not known', {
        code: 'page_too_large',
        hint: 'ask for smaller pages: -F limit=20',
      });
    }
    // On a terminal each page ends its last line already.
    if (!options.slurp && !out.isTerminal && bytes.at(-1) !== 0x0a) await out.text('\n');
    path = nextPath(path, json(bytes));
  }
  await out.text(closing);
  if (path !== undefined) throw noWayOn();
}

function json(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // What is no JSON has no further pages.
    return undefined;
  }
}

/** What would be lost on a terminal may have been paid for. */
function assertShowable({ out, flags }: Context, row: Row): void {
  if (row.returns !== 'bytes' || flags.dryRun || !out.isTerminal) return;
  throw new UsageError('this answers with bytes that no terminal can show', {
    code: 'bytes_to_terminal',
    hint: 'send them to a file: svc api … > FILE',
  });
}

/** As much of a row as a request to any path can have. */
export type Row = Pick<
  Endpoint,
  'id' | 'auth' | 'retry' | 'statuses' | 'statusNotes' | 'slow' | 'stream'
> & { readonly returns?: Endpoint['returns'] };

/** The contract's row for a method and a path, or what holds for a path that it does not know. */
async function rowFor(method: string, path: string, brand: Brand): Promise<Row> {
  const { endpoints } = await import('../../contract/index.js');
  const pathname = path.replace(/\?.*$/s, '');
  const rows: readonly Endpoint[] = endpoints;
  const fitting = rows
    .map((row) => ({ row, template: brand.path(row.path) }))
    .filter(({ row, template }) => row.method === method && patternOf(template).test(pathname));
  // A literal path wins over one with parameters.
  const unlisted: Row = { ...unlistedRow(method), auth: 'bearer' };
  const [found = { row: unlisted }] = [
    ...fitting.filter(({ template }) => !template.includes('{')),
    ...fitting,
  ];
  return found.row;
}

function patternOf(template: string): RegExp {
  const steps = template
    .split('/')
    .map((step) => (step.startsWith('{') ? '[^/]+' : step.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${steps.join('/')}$`);
}

/** An idempotent row may be sent again only with the token that makes it so. */
function retryOf(
  { retry }: Row,
  headers: Readonly<Record<string, string>>,
  payload: Payload | undefined,
): RetryClass {
  if (retry !== 'idempotent') return retry;
  const hasToken = 'idempotency-key' in headers || namesIncident(payload?.body);
  return hasToken ? 'idempotent' : 'never';
}

/** Section 2.15: a ticket of the same clientIncidentId is not made twice. */
function namesIncident(body: Payload['body'] | undefined): boolean {
  if (typeof body !== 'string') return false;
  try {
    return typeof recordOf(JSON.parse(body))['clientIncidentId'] === 'string';
  } catch {
    return false;
  }
}

/** The path of the page after `page`; undefined when that was the last one, or no list in pages. */
function nextPath(path: string, page: unknown): string | undefined {
  if (!isRecord(page)) return undefined;
  return nextByCursor(path, page) ?? nextByNumber(path, page) ?? nextOfCounted(path, page);
}

/** Section 2.15: `hasMore`, `nextCursor`. */
function nextByCursor(path: string, page: JsonRecord): string | undefined {
  const cursor = textOf(page['nextCursor']);
  if (!cursor || page['hasMore'] === false) return undefined;
  return withParameter(path, 'after', cursor);
}

/** Section 2.10: `page`, `limit`, `total`. */
function nextByNumber(path: string, page: JsonRecord): string | undefined {
  const [number, limit, total] = ['page', 'limit', 'total'].map((name) => numberOf(page[name]));
  if (number === undefined || limit === undefined || total === undefined) return undefined;
  if (listOf(page['data']).length === 0 || number * limit >= total) return undefined;
  return withParameter(path, 'page', String(number + 1));
}

/** Section 2.11: `pagination` with `page` and `totalPages`. */
function nextOfCounted(path: string, page: JsonRecord): string | undefined {
  const pagination = recordOf(page['pagination']);
  const number = numberOf(pagination['page']);
  const last = numberOf(pagination['totalPages']);
  if (number === undefined || last === undefined || number >= last) return undefined;
  return withParameter(path, 'page', String(number + 1));
}

function withParameter(path: string, name: string, value: string): string {
  const [pathname = '', query = ''] = path.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `${pathname}?${parameters.toString()}`;
}
