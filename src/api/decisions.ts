/** Named questions, decided from a state (sections 2.8 and 4.2). */
import { createDecisions } from '../contract/decisions.js';
import type { EndpointInput } from '../contract/endpoint.js';
import { call } from './call.js';
import type { Client } from './client.js';

export type DecisionBody = EndpointInput<typeof createDecisions>['body'];
export type DecisionInput = DecisionBody['questions'][string];

/** Which of its fields an answer has follows from its question's type; none is sure to be there. */
export interface DecisionAnswer {
  readonly choice?: unknown;
  readonly score?: unknown;
  /** What each score means. */
  readonly legend?: unknown;
  readonly probabilities?: unknown;
  readonly confidence?: unknown;
  readonly noul?: unknown;
}

export interface Decided {
  /** By the name of the question. */
  readonly answers: Readonly<Record<string, DecisionAnswer>>;
  /** Of the input, which alone is paid for; undefined when it is not told. */
  readonly tokens: number | undefined;
  /** As it came. */
  readonly reply: Readonly<Record<string, unknown>>;
  /** By name without the brand. */
  readonly ids: Readonly<Record<string, string>>;
}

/** @throws what `call` throws. */
export async function decide(client: Client, body: DecisionBody): Promise<Decided> {
  const { data, ids } = await call(client, createDecisions, { body });
  const { answers, usage } = data;
  return { answers, tokens: usage?.input_tokens ?? undefined, reply: data, ids };
}
