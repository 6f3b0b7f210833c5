/** Recording from a script, and playing without anything behind the tape. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/types.js';
import type { Clock } from '../../src/lib/clock.js';
import { openTape, type Tape, type TapeOptions } from '../../src/tapes/taped.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { scripted, type Step } from '../helpers/scripted-transport.js';

/** What a reader gets of an answer: its pieces, and why they ended. */
export interface Heard {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
  readonly text: string;
  readonly error?: unknown;
}

export async function heard(sending: Promise<HttpResponse>): Promise<Heard> {
  const response = await sending;
  const { headers, status } = response;
  const pieces: Buffer[] = [];
  const error: unknown = await response
    .pipe((piece) => void pieces.push(Buffer.from(piece)))
    .catch((reason: unknown) => reason);
  const latin1 = pieces.map((piece) => piece.toString('latin1'));
  return { status, headers, pieces: latin1, text: Buffer.concat(pieces).toString(), error };
}

export function asking(path: string, more: Partial<HttpRequest> = {}): HttpRequest {
  const timeouts = { connectMs: 0, firstByteMs: 0, idleMs: 0 };
  const url = new URL(path, 'http://127.0.0.1:1234');
  return { method: more.body === undefined ? 'GET' : 'POST', url, headers: {}, timeouts, ...more };
}

export const posting = (body: unknown, path = '/v1/chat/completions'): HttpRequest =>
  asking(path, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

const nothing: Transport = () => Promise.reject(new Error('something was sent'));

/** One tape in a folder of its own. */
export function tapeRig(path = join(testFolder(), 'tape.jsonl')) {
  const troubles: unknown[] = [];
  const opened = (options: TapeOptions, clock: Clock): Tape => {
    const report = (error: unknown) => void troubles.push(error);
    const tape = openTape(options, { clock, report });
    if (!tape) throw new Error('no tape');
    return tape;
  };
  return {
    path,
    /** Why exchanges were not recorded. */
    troubles,
    text: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
    lines: () => readFileSync(path, 'utf8').trimEnd().split('\n'),
    write: (...lines: readonly string[]) => writeFileSync(path, `${lines.join('\n')}\n`),
    file: (name: string) => readFileSync(join(`${path}.files`, name)),
    recorder: (clock: Clock = new ManualClock()) => opened({ record: path }, clock),
    player: (more: TapeOptions = {}, clock: Clock = new ManualClock()) => {
      const tape = opened({ replay: path, ...more }, clock);
      return { tape, play: (request: HttpRequest) => heard(tape.send(request, nothing)) };
    },
    /** Records requests, each with the step of its place. */
    async record(...exchanges: readonly (readonly [HttpRequest, Step])[]): Promise<Heard[]> {
      const tape = opened({ record: path }, new ManualClock());
      const all: Heard[] = [];
      for (const [request, step] of exchanges) {
        all.push(await heard(tape.send(request, scripted(step).transport)));
      }
      return all;
    },
  };
}

export const sse = { 'content-type': 'text/event-stream' };
export const jsonType = { 'content-type': 'application/json' };
