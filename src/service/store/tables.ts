/** The whole schema of the store; a change of it needs another `schemaVersion`. */
import * as z from 'zod/mini';
import { ticketAuthors, ticketSources, ticketStatuses } from '../../contract/enums.js';
import { voiceEngines } from '../../contract/enums.js';
import { flag, integer, json, maybe, oneOf, place, table, text, type RowOf } from './table.js';

/** The file's `user_version`; other versions are refused. */
export const schemaVersion = 8;

const account = () => text('REFERENCES accounts (id)');
const key = () => text('REFERENCES keys (hash)');

/** The constraint that SQLite names when a price exceeds the balance. */
export const balanceRule = 'balance_micro_rub >= 0';

export const accounts = table('accounts', () => ({
  id: text('PRIMARY KEY'),
  openingMicroRub: integer(),
  balanceMicroRub: integer(`CHECK (${balanceRule})`),
  createdAtMs: integer(),
  mediaWebhookUrl: maybe(text()),
  balanceWebhookUrl: maybe(text()),
}));

export const keys = table('keys', () => ({
  hash: text('PRIMARY KEY'),
  name: text(),
  accountId: account(),
  allowList: json(z.readonly(z.array(z.string()))),
  retryAfterS: maybe(integer()),
  sandbox: flag(),
  createdAtMs: integer(),
}));

export const secrets = table('secrets', () => ({ name: text('PRIMARY KEY'), value: text() }));

/** Records of paid calls, append-only. */
export const usage = table('usage', () => ({
  seq: place(),
  id: text('UNIQUE'),
  accountId: account(),
  keyHash: key(),
  model: text(),
  route: text(),
  promptTokens: integer(),
  completionTokens: integer(),
  /** Below zero in a refund. */
  priceMicroRub: integer(),
  createdAtMs: integer(),
  /** The refunded record; each is refunded at most once. */
  refundOf: maybe(text()),
})).with(
  'CHECK ((refund_of IS NULL) = (price_micro_rub >= 0))',
  'UNIQUE INDEX (refund_of) WHERE refund_of IS NOT NULL',
  'INDEX (account_id, created_at_ms)',
  'INDEX (key_hash, created_at_ms)',
);

export const idempotency = table('idempotency', () => ({
  accountId: account(),
  idempotencyKey: text(),
  operation: text(),
  requestHash: text(),
  /** The id of a job or of a usage record, or a whole reply. */
  result: text(),
})).with('PRIMARY KEY (account_id, idempotency_key)');

export const admissions = table('admissions', () => ({
  action: oneOf(['search', 'tickets', 'ticket-messages', 'voice-samples']),
  accountId: account(),
  atMs: integer(),
})).with('INDEX (action, account_id, at_ms)');

/** Uploaded files; their bytes are in the store's folder. */
export const mediaFiles = table('media_files', () => ({
  id: text('PRIMARY KEY'),
  accountId: account(),
  byteLength: integer(),
  createdAtMs: integer(),
}));

export const mediaQuotes = table('media_quotes', () => ({
  id: text('PRIMARY KEY'),
  accountId: account(),
  requestHash: text(),
  channel: text(),
  priceMicroRub: integer(),
  expiresAtMs: integer(),
  jobId: maybe(text()),
})).with('INDEX (expires_at_ms)');

/** Media jobs. The state of a job follows from its row and the clock. */
export const mediaJobs = table('media_jobs', () => ({
  seq: place(),
  id: text('UNIQUE'),
  accountId: account(),
  keyHash: key(),
  /** The endpoint that created it; `sandbox` is a simulated submission that never starts. */
  origin: oneOf(['generate', 'extend', 'image', 'sandbox']),
  model: text(),
  channel: text(),
  requestedModel: text(),
  request: json(
    z.object({
      prompt: z.optional(z.string()),
      opts: z.optional(z.looseRecord(z.string(), z.unknown())),
    }),
  ),
  priceMicroRub: integer('CHECK (price_micro_rub >= 0)'),
  /** The record of its charge; absent without one. */
  usageId: maybe(text()),
  webhookUrl: maybe(text()),
  createdAtMs: integer(),
  dueAtMs: integer(),
  /** Whether its end charges or refunds money. */
  movesMoney: flag(),
  state: oneOf(['running', 'success', 'fail']),
  errorCode: maybe(text()),
  failMessage: maybe(text()),
  resultText: maybe(text()),
  resultMeta: maybe(json(z.looseRecord(z.string(), z.unknown()))),
})).with(
  "INDEX (due_at_ms) WHERE state = 'running'",
  "INDEX (account_id, due_at_ms) WHERE state = 'running' AND moves_money = 1",
  "INDEX (key_hash, seq) WHERE origin = 'image'",
);

/** Results of jobs; their bytes are in the store's folder after the first request. */
export const mediaResults = table('media_results', () => ({
  jobId: text('REFERENCES media_jobs (id)'),
  index: integer(),
  mediaType: text(),
  ext: text(),
  /** Of the file as it was made; absent before the first request and after deletion. */
  byteLength: maybe(integer()),
  sha256: maybe(text()),
  expiresAtMs: integer(),
})).with('PRIMARY KEY (job_id, "index")', 'INDEX (expires_at_ms) WHERE sha256 IS NOT NULL');

/** Notifications, kept until delivered or given up. */
export const notifications = table('notifications', () => ({
  id: text('PRIMARY KEY'),
  jobId: text('UNIQUE REFERENCES media_jobs (id)'),
  url: text(),
  attempts: integer(),
  nextAttemptAtMs: maybe(integer()),
  lastOutcome: maybe(text()),
})).with('INDEX (next_attempt_at_ms) WHERE next_attempt_at_ms IS NOT NULL');

/** Support tickets (section 2.15). Their state follows from their row and the clock. */
export const tickets = table('tickets', () => ({
  seq: place(),
  id: text('UNIQUE'),
  accountId: account(),
  source: oneOf(ticketSources),
  subject: json(z.string()),
  category: text(),
  requestIds: json(z.readonly(z.array(z.string()))),
  clientIncidentId: maybe(text()),
  contentHash: text(),
  occurrences: integer(),
  status: oneOf(ticketStatuses),
  createdAtMs: integer(),
  updatedAtMs: integer(),
  repliedAtMs: maybe(integer()),
  /** When staff answers, even unwatched; present while it is open. */
  replyDueAtMs: maybe(integer()),
})).with(
  "CHECK ((status = 'open') = (reply_due_at_ms IS NOT NULL))",
  'INDEX (account_id, seq)',
  "INDEX (account_id, content_hash) WHERE status = 'open'",
  "INDEX (account_id, reply_due_at_ms) WHERE status = 'open'",
);

/** Every incident id of a ticket, with its latest ticket. */
export const ticketIncidents = table('ticket_incidents', () => ({
  accountId: account(),
  clientIncidentId: text(),
  ticketId: text('REFERENCES tickets (id)'),
})).with('PRIMARY KEY (account_id, client_incident_id)');

export const ticketMessages = table('ticket_messages', () => ({
  seq: place(),
  id: text('UNIQUE'),
  ticketId: text('REFERENCES tickets (id)'),
  author: oneOf(ticketAuthors),
  body: json(z.string()),
  createdAtMs: integer(),
})).with('INDEX (ticket_id, seq)');

export const ticketAttachments = table('ticket_attachments', () => ({
  seq: place(),
  id: text('UNIQUE'),
  ticketId: text('REFERENCES tickets (id)'),
  messageId: text('REFERENCES ticket_messages (id)'),
  filename: json(z.string()),
  mediaType: text(),
  byteLength: integer(),
  sha256: text(),
})).with('INDEX (ticket_id, seq)');

/** Cloned voices; their recordings are not kept. */
export const voices = table('voices', () => ({
  seq: place(),
  id: text('UNIQUE'),
  accountId: account(),
  keyHash: key(),
  name: text(),
  engine: oneOf(voiceEngines),
  sampleCount: integer(),
  sampleMs: integer(),
  sampleBytes: integer(),
  monthlyMicroRub: integer('CHECK (monthly_micro_rub >= 0)'),
  createdAtMs: integer(),
  lastUsedAtMs: maybe(integer()),
  nextChargeAtMs: maybe(integer()),
  /** When an unpaid voice is deleted; absent while it is paid. */
  deletionAtMs: maybe(integer()),
})).with(
  'CHECK ((next_charge_at_ms IS NULL) <> (deletion_at_ms IS NULL))',
  'INDEX (account_id, seq)',
);

export type Key = RowOf<typeof keys>;
export type Usage = RowOf<typeof usage>;
export type Job = RowOf<typeof mediaJobs>;
export type Result = RowOf<typeof mediaResults>;
export type Ticket = RowOf<typeof tickets>;
export type Attachment = RowOf<typeof ticketAttachments>;
export type Voice = RowOf<typeof voices>;

/** A record and its money are one statement, so neither exists without the other. */
const takePrice = `CREATE TRIGGER take_price AFTER INSERT ON usage BEGIN
  UPDATE accounts SET balance_micro_rub = balance_micro_rub - NEW.price_micro_rub
  WHERE id = NEW.account_id;
END;`;

export function storeSchema(): string {
  const media = [mediaFiles, mediaQuotes, mediaJobs, mediaResults, notifications];
  const support = [tickets, ticketIncidents, ticketMessages, ticketAttachments, voices];
  const money = [accounts, keys, secrets, usage, idempotency, admissions];
  return [...money, ...media, ...support].map(({ schema }) => schema).join('\n') + takePrice;
}
