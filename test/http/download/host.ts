/** Hosts of files that misbehave as a test says, and downloads from them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { createTransport } from '../../../src/http/attempt.js';
import { download } from '../../../src/http/download/download.js';
import type { Downloading } from '../../../src/http/download/request.js';
import { testFolder } from '../../helpers/folder.js';
import { SkippingClock } from '../../helpers/manual-clock.js';
import { onHead, patient, peer, reset, type Peer } from '../rig.js';

/** Bytes that are nowhere the same: a piece in the wrong place shows. */
export function content(length: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let word = seed;
  for (let index = 0; index < words.length; index += 1) {
    word = (Math.imul(word, 1664525) + 1013904223) | 0;
    words[index] = word;
  }
  return Buffer.from(words.buffer, 0, length);
}

/** What a request asked for. */
export interface Ask {
  /** From 1. */
  readonly nth: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The first byte of its Range; undefined without one. */
  readonly from: number | undefined;
}

/** What a host sends back: a head, then a body, then an end. */
export interface Reply {
  readonly status?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | readonly Buffer[];
  /** What is waited for after each piece. */
  readonly pace?: () => Promise<unknown>;
  /** How the connection ends; absent, it stays open. */
  readonly end?: 'fin' | 'reset';
}

export interface Host extends Peer {
  readonly asks: readonly Ask[];
}

/** A host that answers each request as told; undefined is no answer at all. */
export async function host(answer: (ask: Ask) => Reply | undefined): Promise<Host> {
  const asks: Ask[] = [];
  const served = await peer((socket) => {
    onHead(socket, (head) => {
      const ask = asked(head, asks.length + 1);
      asks.push(ask);
      const reply = answer(ask);
      if (reply) void send(socket, reply);
    });
  });
  return { ...served, url: new URL('/results/0', served.url), asks };
}

function asked(head: string, nth: number): Ask {
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const range = /^bytes=(\d+)-$/.exec(headers['range'] ?? '');
  return {
    nth,
    path: first.split(' ')[1] ?? '',
    headers,
    from: range ? Number(range[1]) : undefined,
  };
}

async function send(socket: Socket, reply: Reply): Promise<void> {
  const { status = '200 OK', headers = {}, body = [], pace, end } = reply;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1');
  for (const piece of Buffer.isBuffer(body) ? [body] : body) {
    if (!socket.write(piece)) await drained(socket);
    await pace?.();
  }
  if (end === 'fin') socket.end();
  // A reset that arrives together with data looks like an orderly end to Node.
  if (end === 'reset') {
    await new Promise((resolve) => socket.write('', resolve));
    setTimeout(() => reset(socket), 10);
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      socket.off('drain', finish).off('close', finish);
      resolve();
    };
    socket.on('drain', finish).on('close', finish);
    if (socket.destroyed) finish();
  });
}

/** The whole, or the rest that was asked for, as a good host sends it. */
export function goodReply(
  file: Buffer,
  { from, headers: sent }: Pick<Ask, 'from' | 'headers'>,
  headers: Readonly<Record<string, string>> = { etag: '"v1"' },
): Reply {
  const isSame = sent['if-range'] === headers['etag'];
  if (from === undefined || !isSame) {
    return { headers: { 'content-length': file.length, ...headers }, body: file };
  }
  return {
    status: '206 Partial Content',
    headers: {
      'content-length': file.length - from,
      'content-range': `bytes ${from}-${file.length - 1}/${file.length}`,
      ...headers,
    },
    body: file.subarray(from),
  };
}

/** The same, broken off before a place in the file. */
export function cutReply(file: Buffer, ask: Ask, before: number, end: Reply['end'] = 'fin'): Reply {
  const whole = goodReply(file, ask);
  const from = whole.status === undefined ? 0 : (ask.from ?? 0);
  return { ...whole, body: file.subarray(from, before), end };
}

/** The options of a download, unless the test says otherwise: no waits, no timeouts. */
export function downloading(
  url: URL,
  to: Downloading['to'] | string,
  more: Partial<Downloading> = {},
): Downloading {
  return {
    transport: createTransport({ env: {} }),
    url,
    to: typeof to === 'string' ? { kind: 'file', path: to, replace: false } : to,
    timeouts: patient,
    clock: new SkippingClock(),
    ...more,
  };
}

export function fetchTo(
  url: URL,
  to: Downloading['to'] | string,
  more: Partial<Downloading> = {},
): ReturnType<typeof download> {
  return download(downloading(url, to, more));
}

/** Downloads to a new file, which must then hold these bytes. */
export async function arrives(url: URL, bytes: Buffer, more?: Partial<Downloading>) {
  const path = join(testFolder(), 'a.bin');
  const done = await fetchTo(url, path, more);
  expect(done).toMatchObject({ path, bytes: bytes.length });
  expect(readFileSync(path).equals(bytes)).toBe(true);
}

export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export const digestOf = (path: string) => digest(readFileSync(path));
