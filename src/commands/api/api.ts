import { requestPath } from '../../api/call.js';
import { withOneDeadline, type Client } from '../../api/client.js';
import { noWayOn } from '../../api/pages.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { Incomplete, UsageError } from '../../errors.js';
import { mayCost } from '../may-cost.js';
import { carriesKey, guardSecrets } from './credentials.js';
import type { api } from './index.js';
import { nextPath } from './pages.js';
import { contentFrom, headersFrom, methodFrom, type ApiInput } from './request.js';
import { retryOf, rowFor, type Row } from './row.js';
import { showAnswer } from './show.js';
import { pathFrom, withQuery } from './target.js';

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
  refuseBytes(context, row);
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
function refuseBytes({ out, flags }: Context, row: Row): void {
  if (row.returns !== 'bytes' || flags.dryRun || flags.curl || !out.isTerminal) return;
  throw new UsageError('this answers with bytes that no terminal can show', {
    code: 'bytes_to_terminal',
    hint: 'send them to a file: svc api … > FILE',
  });
}
