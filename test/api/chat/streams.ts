/** Reads bodies that a test makes up. */
import { expect, test } from 'vitest';
import { Answer } from '../../../src/api/chat/answer.js';
import { readAnswer } from '../../../src/api/chat/read.js';
import type { ChatFormat } from '../../../src/contract/enums.js';
import { Incomplete } from '../../../src/errors.js';
import { BodyCut, type HttpResponse } from '../../../src/http/types.js';

export interface Frame {
  name?: string;
  data: string;
}

/** How a body ends: complete, by a dropped connection, or not at all. */
export type Ending = 'clean' | 'reset' | 'open';

/** The reader asked for more of a body that stays open for ever. */
export class StillWaiting extends Error {}

export interface Outcome {
  answer: Answer;
  /** What was reported, in order: `text:Hi`. */
  log: string[];
  error: unknown;
  discarded: boolean;
}

/** Reads the pieces of a body in a format. */
export async function readPieces(
  format: ChatFormat,
  pieces: readonly Uint8Array[],
  ending: Ending = 'clean',
): Promise<Outcome> {
  const answer = new Answer(true);
  const outcome: Outcome = { answer, log: [], error: undefined, discarded: false };
  const response: HttpResponse = {
    status: 200,
    headers: {},
    pipe: async (sink) => {
      for (const piece of pieces) await sink(Buffer.from(piece));
      if (ending === 'reset') throw new BodyCut('reset', 'the connection was lost');
      if (ending === 'open') throw new StillWaiting();
    },
    discard: () => {
      outcome.discarded = true;
    },
  };
  try {
    await readAnswer(response, format, (piece) => {
      if (piece.type === 'text' || piece.type === 'reasoning') {
        outcome.log.push(`${piece.type}:${piece.text}`);
      }
      if (piece.type === 'finish') outcome.log.push(`finish:${piece.reason}`);
      answer.add(piece);
    });
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
}

/** The failure of an answer that came out incomplete; any other outcome fails the test. */
export function failureOf({ error }: Outcome): Incomplete {
  expect(error).toBeInstanceOf(Incomplete);
  if (error instanceof Incomplete) return error;
  throw new Error('unreachable');
}

/** Reads a body given as text. */
export function readText(format: ChatFormat, body: string, ending?: Ending): Promise<Outcome> {
  return readPieces(format, [Buffer.from(body)], ending);
}

/** Reads frames. */
export function readFrames(
  format: ChatFormat,
  frames: readonly Frame[],
  ending?: Ending,
): Promise<Outcome> {
  return readText(format, wire(frames), ending);
}

type Readings = Readonly<
  Record<
    string,
    readonly [frames: readonly Frame[], answer: Partial<Record<keyof Answer, unknown>>]
  >
>;

/** A test for each: these frames are read without a failure, as this answer. */
export function reads(format: ChatFormat, readings: Readings, ending?: Ending): void {
  test.each(Object.entries(readings))(`in the ${format} format %s`, async (_, reading) => {
    const [frames, expected] = reading;
    const { answer, error } = await readFrames(format, frames, ending);
    expect(error).toBeUndefined();
    expect(answer).toMatchObject(expected);
    if (expected.toolCalls) expect(answer.toolCalls).toEqual(expected.toolCalls);
  });
}

/** Text of two pieces, with an odd frame before, between and after them. */
export function goesOnAfter(
  odds: Readonly<Record<string, Frame>>,
  text: (piece: string) => Frame,
  whole: (...frames: Frame[]) => readonly Frame[],
): Readings {
  const readings = Object.entries(odds).map(([what, odd]) => {
    const frames = whole(odd, text('a'), odd, text('b'), odd);
    return [
      `text goes on after ${what}`,
      [frames, { text: 'ab', reasoning: '', toolCalls: [] }],
    ] as const;
  });
  return Object.fromEntries(readings);
}

/** The body that brings the frames. */
export function wire(frames: readonly Frame[], { eol = '\n' } = {}): string {
  return frames
    .map(
      ({ name, data }) =>
        (name === undefined ? '' : `event: ${name}${eol}`) +
        data
          .split('\n')
          .map((line) => `data: ${line}${eol}`)
          .join('') +
        eol,
    )
    .join('');
}

/** A frame without a name. */
export function bare(data: unknown): Frame {
  return { data: typeof data === 'string' ? data : JSON.stringify(data) };
}

/** A frame named by the type of its data. */
export function named(data: { type: string; [field: string]: unknown }): Frame {
  return { name: data.type, data: JSON.stringify(data) };
}

/** A chat chunk with one choice. */
export function chunk(
  delta: unknown,
  finishReason: string | null = null,
  more: object = {},
): Frame {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return bare({ id: 'gen_1', model: 'maker/model', choices, ...more });
}

export const done = bare('[DONE]');
