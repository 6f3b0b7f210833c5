/**
 * What the ledger of media jobs is made of: one line of JSON for each thing that happened. Lines
 * are only ever added, so what is written here once has to be readable forever.
 */
import * as z from 'zod/mini';
import { Owner } from '../files/owner.js';
import { recordOf } from '../lib/json.js';

const Account = z.object({ profile: z.string(), service: z.string(), keyHash: z.string() });

/** A body too large for a line, in a file of its own beside the ledger. */
const KeptBody = z.object({
  /** Its name in the folder of bodies. */
  name: z.string().check(z.regex(/^[0-9a-f]{8,64}\.json$/)),
  bytes: z.number(),
  sha256: z.string(),
});

/** What every event of a job has: the Idempotency-Key of its job, and when it happened (epoch, ms). */
const common = { intent: z.string(), atMs: z.number() };

/** Somebody wants a job: on disk before the first byte of the request leaves. */
const Wanted = z.object({
  type: z.literal('wanted'),
  ...common,
  /** What it is; only `generate` has a key that the specification names (section 4.3). */
  kind: z.enum(['generate', 'extend', 'image', 'voice', 'speech', 'transcription']),
  account: Account,
  /** The process that sends it: while it runs, nobody else does. */
  owner: z.optional(Owner),
  model: z.string(),
  /** A hash of what is wanted, whatever its price: the same wish again is recognised by it. */
  wish: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The request, byte for byte: here, or beside the ledger. */
  body: z.optional(z.string()),
  keptBody: z.optional(KeptBody),
  quotedRub: z.optional(z.number()),
});

/** What the service tells of the way that a job goes, by its own names. */
const route = z.optional(z.record(z.string(), z.string()));

/** The service has it, under this id. */
const Accepted = z.object({
  type: z.literal('accepted'),
  ...common,
  jobId: z.string(),
  status: z.optional(z.string()),
  priceRub: z.optional(z.number()),
  route,
});

/** There is no such job, and nothing was charged: it was refused, or never left. */
const Dropped = z.object({
  type: z.literal('dropped'),
  ...common,
  why: z.enum(['refused', 'not_sent']),
  code: z.optional(z.string()),
  message: z.optional(z.string()),
});

/** Nobody knows whether the service has it. */
const Uncertain = z.object({
  type: z.literal('uncertain'),
  ...common,
  /** It was sent, and is perhaps still being worked on: no answer came. */
  isUnanswered: z.boolean(),
  message: z.optional(z.string()),
});

/** What the service tells of the job; written when it changes. */
const Told = z.object({
  type: z.literal('told'),
  ...common,
  /** A status of the service, or `not_started` (a sandbox job) or `unknown_job` (404). */
  status: z.string(),
  priceRub: z.optional(z.number()),
  results: z.optional(z.number()),
  expiresAtMs: z.optional(z.number()),
  code: z.optional(z.string()),
  message: z.optional(z.string()),
  guidance: z.optional(z.string()),
  route,
  /** True when somebody was waiting, so that the time until now is how long the job took. */
  watched: z.optional(z.boolean()),
});

/**
 * A result is on this disk, whole. Written just before it gets its name: whether it came to that,
 * the content of what is there tells.
 */
const Saved = z.object({
  type: z.literal('saved'),
  ...common,
  index: z.number(),
  /** Absolute. */
  path: z.string(),
  bytes: z.number(),
  /** What its content is known by (files/saved-file.ts); absent in what earlier versions wrote. */
  sha256: z.optional(z.string()),
});

/** A later run of the same request goes on with it. */
const Resumed = z.object({ type: z.literal('resumed'), ...common, owner: Owner });

/** No later run goes on with it: its run ended well, or `--new` was said. */
const Closed = z.object({ type: z.literal('closed'), ...common });

/** The same of a job that was not made from here. */
const Fetched = z.object({
  type: z.literal('fetched'),
  atMs: common.atMs,
  account: Account,
  jobId: z.string(),
  index: Saved.shape.index,
  path: Saved.shape.path,
  bytes: Saved.shape.bytes,
  sha256: Saved.shape.sha256,
});

const LedgerEvent = z.discriminatedUnion('type', [
  Wanted,
  Accepted,
  Dropped,
  Uncertain,
  Told,
  Saved,
  Resumed,
  Closed,
  Fetched,
]);

export type WantedEvent = z.output<typeof Wanted>;
export type LedgerEvent = z.output<typeof LedgerEvent>;
export type KeptBody = z.output<typeof KeptBody>;

/**
 * The event of a line; `damaged` for one that is torn or no event at all, undefined for one that is
 * empty or of a kind that a newer svc wrote.
 */
export function eventIn(line: string): LedgerEvent | 'damaged' | undefined {
  if (line.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const { data, error } = LedgerEvent.safeParse(value);
    if (data) return data;
    const isUnknown = error.issues.some(({ code }) => code === 'invalid_union');
    return isUnknown && typeof recordOf(value)['type'] === 'string' ? undefined : 'damaged';
  } catch {
    return 'damaged';
  }
}
