/**
 * Starts a media job so that it is neither lost nor paid for twice: the request is on disk before
 * it leaves, and whatever became of it is written after it.
 */
import { randomUUID } from 'node:crypto';
import { payloadBytes, piecesOf } from '../../api/media/body.js';
import { routeOf } from '../../api/media/follow.js';
import { submit, type Accepted, type Submission, type Submitted } from '../../api/media/submit.js';
import type { Payload } from '../../api/prepare.js';
import { SvcError } from '../../errors.js';
import { fileBody } from '../../http/file-body.js';
import { mostLineBytes } from '../../state/ledger.js';
import type { KeptBody } from '../../state/ledger-fold.js';
import { note, now, type JobWorld } from './world.js';

export interface Order {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly model: string;
  readonly wish: string;
  readonly payload: Payload;
  readonly headers: Readonly<Record<string, string>>;
  readonly quotedRub: number | undefined;
}

/** A key that no other job has. */
export function newKey(): string {
  return randomUUID();
}

/**
 * Writes the order down, sends it, and writes down what came of it.
 * @throws LocalFileError when it cannot be written down: then nothing was sent; what `call` throws.
 */
export async function startJob(world: JobWorld, order: Order): Promise<Accepted> {
  const { key, headers, payload } = order;
  const isLarge = payloadBytes(payload) > mostLineBytes;
  const keptBody = isLarge ? await world.ledger.bodies.keep(piecesOf(payload)) : undefined;
  const body = keptBody ? undefined : await textOf(payload);
  world.ledger.append(
    now(world, {
      type: 'wanted',
      intent: key,
      kind: 'generate',
      account: world.account,
      owner: world.owner,
      model: order.model,
      wish: order.wish,
      headers,
      body,
      keptBody,
      quotedRub: order.quotedRub,
    }),
  );
  // What is sent is what was written, byte for byte.
  const written = keptBody ? keptPayload(world, keptBody) : { ...payload, body: body ?? '' };
  return sendWritten(world, { key, headers, payload: written }, keptBody);
}

/** A body that was kept beside the ledger. */
export function keptPayload({ ledger }: JobWorld, kept: KeptBody): Payload {
  return {
    contentType: 'application/json',
    body: fileBody(ledger.bodies.pathOf(kept), kept.bytes),
  };
}

/**
 * Sends what the ledger holds, and writes down what came of it.
 * @throws what `call` throws, when there is no job, or nobody knows.
 */
export async function sendWritten(
  world: JobWorld,
  submission: Submission,
  keptBody: KeptBody | undefined,
): Promise<Accepted> {
  const submitted = await submit(world.client, submission);
  writeOutcome(world, submission, submitted);
  const isOpen =
    submitted.outcome === 'uncertain' ||
    (submitted.outcome === 'not_sent' && submission.isResend === true);
  if (keptBody && !isOpen) world.ledger.bodies.drop(keptBody);
  if (submitted.outcome === 'accepted') return submitted.reply;
  throw submitted.error;
}

function writeOutcome(
  world: JobWorld,
  { key: intent, isResend }: Submission,
  submitted: Submitted,
): void {
  switch (submitted.outcome) {
    case 'accepted': {
      const { jobId, status, priceRub, reply } = submitted.reply;
      note(world, { type: 'accepted', intent, jobId, status, priceRub, route: routeOf(reply) });
      return;
    }
    case 'uncertain': {
      const { error, isUnanswered } = submitted;
      note(world, { type: 'uncertain', intent, isUnanswered, message: messageOf(error) });
      return;
    }
    case 'not_sent':
      // That this attempt did not leave says nothing of those before it.
      if (isResend !== true) drop(world, intent, submitted);
      return;
    case 'refused':
      drop(world, intent, submitted);
  }
}

function drop(
  world: JobWorld,
  intent: string,
  { outcome: why, error }: Extract<Submitted, { outcome: 'refused' | 'not_sent' }>,
): void {
  const code = error instanceof SvcError ? error.code : undefined;
  note(world, { type: 'dropped', intent, why, code, message: messageOf(error) });
}

async function textOf(payload: Payload): Promise<string> {
  if (typeof payload.body === 'string') return payload.body;
  const pieces: Buffer[] = [];
  // A piece may be overwritten by the next.
  for await (const piece of piecesOf(payload)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
