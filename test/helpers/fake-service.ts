/** A service that answers as a test says, and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listening } from '../http/rig.js';

export interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Kept extends Seen {
  readonly bytes: Buffer;
}

export interface FakeService {
  readonly origin: string;
  /** Every request, in order. */
  readonly requests: readonly Kept[];
  /** Accepts no more connections. */
  readonly close: () => void;
  /** What makes svc talk to it. */
  readonly env: { readonly SVC_BASE_URL: string; readonly SVC_API_KEY: string };
}

export type Answer = (request: Seen, response: ServerResponse) => void;

export const fakeKey = 'sk-svc-fakefakefake';

/** Listens on this machine until the running test ends. */
export async function fakeService(answer: Answer): Promise<FakeService> {
  const requests: Kept[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const bytes = Buffer.concat(pieces);
      const seen = { method, url, headers, body: bytes.toString('utf8'), bytes };
      requests.push(seen);
      answer(seen, response);
    });
  });
  const { origin } = (await listening(server)).url;
  const close = () => void server.close();
  return { origin, requests, close, env: { SVC_BASE_URL: origin, SVC_API_KEY: fakeKey } };
}

/** Answers everything with this JSON. */
export function json(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}

/** Answers POSTs with an event stream, and all else (balance, usage record) with 404. */
export function events(
  text: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return ({ method }, response) => {
    if (method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    response.end(text);
  };
}

/** Chat chunks as the public format has them, one for each text, without an end. */
export function chunks(...texts: string[]): string {
  return texts
    .map((content) => ({ id: 'c1', model: 'm', choices: [{ index: 0, delta: { content } }] }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .join('');
}

/** What ends a stream of chat chunks. */
export const chunksEnd = `data: ${JSON.stringify({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;
