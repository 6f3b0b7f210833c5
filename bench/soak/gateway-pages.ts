/** Every command that posts, against a service that does its work behind a gateway that fails. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wav } from '../../test/lib/audio/files.js';
import { fakeService, type Seen } from '../../test/helpers/fake-service.js';
import { png, schema } from '../../test/helpers/fake-media.js';
import { testFolder } from '../../test/helpers/folder.js';
import { PollingClock } from '../../test/helpers/manual-clock.js';
import { run, words } from '../../test/helpers/run.js';

/** What a gateway says of an answer that it did not pass on. */
export interface Page {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

const html = (title: string) => `<html><head><title>${title}</title></head><body>x</body></html>`;

export const pages: Readonly<Record<string, Page>> = {
  'HTML 500': { status: 500, type: 'text/html', body: html('500 Internal Server Error') },
  'HTML 502': { status: 502, type: 'text/html', body: html('502 Bad Gateway') },
  'HTML 503': { status: 503, type: 'text/html', body: html('503 Service Unavailable') },
  'HTML 504': { status: 504, type: 'text/html', body: html('504 Gateway Time-out') },
  'HTML 408': { status: 408, type: 'text/html', body: html('408 Request Time-out') },
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 405, 409, 410, 413, 422, 429, 501].map((status) => [
      `HTML ${String(status)}`,
      { status, type: 'text/html', body: html(String(status)) },
    ]),
  ),
  'HTML 302': { status: 302, type: 'text/html', body: html('302 Found') },
  'empty 404': { status: 404, body: '' },
  'text 404': { status: 404, type: 'text/plain', body: '404 page not found' },
  'a message alone, 403': {
    status: 403,
    type: 'application/json',
    body: '{"message":"Forbidden"}',
  },
  'HTML 200': { status: 200, type: 'text/html', body: html('Sign in') },
  'empty 502': { status: 502, body: '' },
  'empty 503': { status: 503, body: '' },
  'text 502': { status: 502, type: 'text/plain', body: 'error code: 502' },
  'text 504': { status: 504, type: 'text/plain', body: 'upstream request timeout' },
  'truncated JSON 502': {
    status: 502,
    type: 'application/json',
    body: '{"ok":false,"code":"failed","message":"the provid',
  },
  'HTML 502 called JSON': { status: 502, type: 'application/json', body: html('502') },
  'JSON 500 of no error': { status: 500, type: 'application/json', body: '[]' },
  'a text of JSON, 502': { status: 502, type: 'application/json', body: '"x"' },
  'an empty object, 502': { status: 502, type: 'application/json', body: '{}' },
};

/** What a call does at the service: `paid` once for each that arrives, or for each key. */
type Kind = 'paid' | 'paid-by-key' | 'free' | 'safe';

export interface Posting {
  readonly line: string;
  /** Of the call that is answered with a page. */
  readonly call: string;
  readonly kind: Kind;
  readonly stdin?: string;
  readonly isUnlisted?: boolean;
}

const paid = (line: string, call: string, stdin?: string): Posting => ({
  line,
  call,
  stdin,
  kind: 'paid',
});
const report = '--category api_error --summary "Answers stop early" --details "Since this morning"';

/** FOLDER stands for a folder of this run, with a.wav and a.png in it. */
export const postings: readonly Posting[] = [
  paid('chat -m m hi', 'POST /v1/chat/completions'),
  paid('chat -m m hi --json', 'POST /v1/chat/completions'),
  paid('chat -m m --search hi hello', 'POST /v1/chat/completions'),
  paid('chat -m m --search hi hello', 'POST /v1/search'),
  paid('chat -m m --format messages hi', 'POST /v1/messages'),
  paid('chat -m m --format responses hi', 'POST /v1/responses'),
  { line: 'chat -m m --count-tokens hi', call: 'POST /v1/messages/count_tokens', kind: 'safe' },
  paid('embed -m m hi', 'POST /v1/embeddings'),
  paid('embed -m m --lines -o FOLDER/x.npy', 'POST /v1/embeddings', 'one\ntwo\n'),
  paid('decide -m m --state x --yes-no "spam=Is it spam?"', 'POST /v1/decisions'),
  paid('search hi', 'POST /v1/search'),
  paid('search --region ru hi', 'POST /api/search'),
  paid('image create -m vendor/canvas a -o FOLDER/', 'POST /v1/images/generations'),
  paid('speak -m m -o FOLDER/x.mp3 hi', 'POST /v1/audio/speech'),
  paid(`speak -m m -o FOLDER/x.wav -`, 'POST /v1/audio/speech', 'A sentence. '.repeat(1000)),
  paid('transcribe -m m FOLDER/a.wav', 'POST /v1/audio/transcriptions'),
  paid('voices create me FOLDER/a.wav --consent', 'POST /api/media/voices'),
  {
    line: 'voices add-samples voice_00000000000000000001 FOLDER/a.wav',
    call: 'POST /api/media/voices/voice_00000000000000000001/samples',
    kind: 'free',
  },
  {
    line: 'generate vendor/canvas a -o FOLDER/',
    call: 'POST /api/media/generate',
    kind: 'paid-by-key',
  },
  { line: 'generate vendor/canvas a --quote', call: 'POST /api/media/price', kind: 'safe' },
  paid('jobs extend job_1 rain --tier fast --yes -o FOLDER/', 'POST /api/media/svc/extend'),
  { line: 'files upload FOLDER/a.png', call: 'POST /v1/files', kind: 'free' },
  {
    line: 'tickets create --subject "It does not work" --message "Nothing works today"',
    call: 'POST /v1/tickets',
    kind: 'free',
  },
  { line: 'tickets reply t1 more', call: 'POST /v1/tickets/t1/messages', kind: 'free' },
  { line: 'tickets close t1', call: 'POST /v1/tickets/t1/close', kind: 'safe' },
  { line: `feedback create ${report}`, call: 'POST /v1/technical-feedback', kind: 'free' },
  { line: 'webhooks set --media https://example.com/x', call: 'PATCH /api/webhooks', kind: 'free' },
  paid('api POST /v1/chat/completions -f model=m', 'POST /v1/chat/completions'),
  paid('api POST /v1/audio/speech -f model=m', 'POST /v1/audio/speech'),
  paid('api POST /v1/images/generations -f model=m', 'POST /v1/images/generations'),
  paid('api POST /v1/decisions -f state=x', 'POST /v1/decisions'),
  paid('api POST /api/media/voices -f name=x', 'POST /api/media/voices'),
  paid('api POST /api/media/generate -f model=m', 'POST /api/media/generate'),
  {
    line: 'api POST /api/media/generate -f model=m -H Idempotency-Key:k1',
    call: 'POST /api/media/generate',
    kind: 'paid-by-key',
  },
  ...['POST /v1/something/new', 'PUT /v1/images/generations/'].map((call) => ({
    ...paid(`api ${call} -f model=m --json`, call),
    isUnlisted: true,
  })),
  ...['/api/media/price', '/api/media/public-price', '/api/media/svc/extend/price'].map(
    (path) =>
      ({ line: `api POST ${path} -f model=m`, call: `POST ${path}`, kind: 'safe' }) as const,
  ),
];

export interface Met {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How often the work was done; each time is paid for. */
  readonly charges: number;
}

/** Runs a command, perhaps again, whose call is answered with a page when its work is done. */
export async function meet(
  { line, call, stdin }: Posting,
  page: Page,
  isRepeated = false,
): Promise<Met> {
  const folder = join(testFolder(), 'x');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.wav'), wav(Buffer.alloc(96_000)));
  writeFileSync(join(folder, 'a.png'), png);
  const charged = new Set<string>();
  const service = await fakeService((seen, response) => {
    const isCall = `${seen.method} ${seen.url}` === call;
    const key = seen.headers['idempotency-key'];
    if (isCall) charged.add(typeof key === 'string' ? key : randomUUID());
    const { status, type, body } = isCall
      ? page
      : { status: 200, type: 'application/json', body: JSON.stringify(replyTo(seen)) };
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
  });
  const env = { ...service.env, SVC_SESSION: line.startsWith('webhooks') ? 'a=b' : undefined };
  const options = { env, clock: new PollingClock(), stdin, home: join(folder, 'home') };
  const command = words(line.replaceAll('FOLDER', folder));
  if (isRepeated) await run(command, options);
  const result = await run(command, options);
  return { ...result, charges: charged.size };
}

const ticket = { id: 't1', object: 'ticket', subject: 'x', status: 'open', messages: [] };
const voice = { id: 'voice_00000000000000000001', name: 'x', engine: 'extvoice' };

/** What the calls besides come to. */
function replyTo({ method, url }: Seen): unknown {
  const [path = ''] = url.split('?');
  switch (`${method} ${path}`) {
    case 'GET /v1/model-capabilities':
      return {
        models: [
          { id: 'vendor/canvas', kind: 'image', operations: [{ requestJsonSchema: schema }] },
        ],
        pagination: { total: 1 },
      };
    case 'POST /api/media/price':
    case 'POST /api/media/svc/extend/price':
      return { ok: true, priceRub: 2, quoteId: 'mq_1' };
    case 'GET /api/media/voices':
      return { voices: [voice], pricing: {} };
    case 'GET /v1/tickets/t1':
      return { ticket };
    case 'POST /v1/search':
      return { results: [{ title: 'a', url: 'https://a.test', snippet: 'a' }], cost_rub: 1 };
    default:
      return { object: 'list', data: [], balance_rub: 100 };
  }
}
