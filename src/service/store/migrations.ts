/**
 * The shape of the store, as steps: `user_version` counts the steps a file has taken. A released
 * step is never edited; a change is a new step.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    opening_micro_rub INTEGER NOT NULL,
    balance_micro_rub INTEGER NOT NULL CHECK (balance_micro_rub >= 0),
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    allow_list TEXT NOT NULL,
    retry_after_s INTEGER,
    sandbox INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE usage (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key_hash TEXT NOT NULL REFERENCES keys (hash),
    model TEXT NOT NULL,
    route TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    price_micro_rub INTEGER NOT NULL CHECK (price_micro_rub >= 0),
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX usage_by_account ON usage (account_id, created_at_ms);
  CREATE INDEX usage_by_key ON usage (key_hash, created_at_ms);
  `,
  // Records that give money back: a CHECK cannot be changed, so the table is made anew.
  `
  CREATE TABLE usage_next (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key_hash TEXT NOT NULL REFERENCES keys (hash),
    model TEXT NOT NULL,
    route TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    price_micro_rub INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    -- The record whose price this one gives back, at most once.
    refund_of TEXT UNIQUE,
    CHECK ((refund_of IS NULL) = (price_micro_rub >= 0))
  ) STRICT;

  INSERT INTO usage_next SELECT *, NULL FROM usage;
  DROP TABLE usage;
  ALTER TABLE usage_next RENAME TO usage;

  CREATE INDEX usage_by_account ON usage (account_id, created_at_ms);
  CREATE INDEX usage_by_key ON usage (key_hash, created_at_ms);
  `,
  // Media.
  `
  CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;

  CREATE TABLE media_files (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    byte_length INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE media_quotes (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    order_hash TEXT NOT NULL,
    channel TEXT NOT NULL,
    price_micro_rub INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    -- The job that consumed it.
    job_id TEXT
  ) STRICT;

  CREATE INDEX media_quotes_by_expiry ON media_quotes (expires_at_ms);

  CREATE TABLE media_jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key_hash TEXT NOT NULL REFERENCES keys (hash),
    origin TEXT NOT NULL CHECK (origin IN ('generate', 'extend', 'image', 'sandbox')),
    model TEXT NOT NULL,
    channel TEXT NOT NULL,
    requested_model TEXT NOT NULL,
    -- JSON: what is made, its sources by file id.
    media_order TEXT NOT NULL,
    price_micro_rub INTEGER NOT NULL CHECK (price_micro_rub >= 0),
    -- The record of what was taken for it.
    usage_id TEXT,
    webhook_url TEXT,
    idempotency_key TEXT,
    request_hash TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    -- When it ends, whether or not anyone looks.
    due_at_ms INTEGER NOT NULL,
    -- Whether its end takes money or gives some back.
    moves_money INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'success', 'fail')),
    error_code TEXT,
    fail_message TEXT,
    result_text TEXT,
    -- JSON.
    result_meta TEXT,
    UNIQUE (account_id, idempotency_key)
  ) STRICT;

  CREATE INDEX media_jobs_running ON media_jobs (due_at_ms) WHERE state = 'running';
  CREATE INDEX media_jobs_settling ON media_jobs (account_id, due_at_ms)
    WHERE state = 'running' AND moves_money = 1;
  CREATE INDEX media_jobs_images ON media_jobs (key_hash, seq) WHERE origin = 'image';

  CREATE TABLE media_results (
    job_id TEXT NOT NULL REFERENCES media_jobs (id),
    idx INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    ext TEXT NOT NULL,
    -- Of the file as it was made; absent until it is first asked for, and once it is gone.
    byte_length INTEGER,
    sha256 TEXT,
    expires_at_ms INTEGER NOT NULL,
    PRIMARY KEY (job_id, idx)
  ) STRICT;

  CREATE INDEX media_results_kept ON media_results (expires_at_ms) WHERE sha256 IS NOT NULL;

  CREATE TABLE webhooks (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    media_url TEXT,
    balance_url TEXT
  ) STRICT;

  CREATE TABLE notifications (
    id TEXT PRIMARY KEY,
    job_id TEXT NOT NULL UNIQUE REFERENCES media_jobs (id),
    url TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    -- Absent when it was delivered or given up.
    next_attempt_at_ms INTEGER,
    -- How the last attempt ended: a status, or what went wrong.
    last_outcome TEXT
  ) STRICT;

  CREATE INDEX notifications_due ON notifications (next_attempt_at_ms)
    WHERE next_attempt_at_ms IS NOT NULL;
  `,
  // Support tickets. Their texts are kept as JSON strings, for the database ends a text at a NUL.
  `
  CREATE TABLE tickets (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    source TEXT NOT NULL CHECK (source IN ('api', 'dashboard', 'technical-feedback')),
    subject TEXT NOT NULL,
    category TEXT NOT NULL,
    -- JSON.
    request_ids TEXT NOT NULL,
    client_incident_id TEXT,
    -- Of category, subject, text and request ids.
    content_hash TEXT NOT NULL,
    occurrences INTEGER NOT NULL CHECK (occurrences >= 1),
    status TEXT NOT NULL CHECK (status IN ('open', 'replied', 'closed')),
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    replied_at_ms INTEGER,
    -- When staff answers, whether or not anyone looks.
    reply_due_at_ms INTEGER,
    CHECK ((status = 'open') = (reply_due_at_ms IS NOT NULL))
  ) STRICT;

  CREATE INDEX tickets_by_account ON tickets (account_id, seq);
  CREATE INDEX tickets_by_content ON tickets (account_id, content_hash) WHERE status = 'open';
  CREATE INDEX tickets_awaiting ON tickets (account_id, reply_due_at_ms) WHERE status = 'open';

  -- Every incident id that led to a ticket, and the last ticket that it led to.
  CREATE TABLE ticket_incidents (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    client_incident_id TEXT NOT NULL,
    ticket_id TEXT NOT NULL REFERENCES tickets (id),
    PRIMARY KEY (account_id, client_incident_id)
  ) STRICT;

  CREATE TABLE ticket_messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    ticket_id TEXT NOT NULL REFERENCES tickets (id),
    author TEXT NOT NULL CHECK (author IN ('client', 'staff')),
    body TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX ticket_messages_by_ticket ON ticket_messages (ticket_id, seq);

  -- The bytes are in the store's folder, under the id.
  CREATE TABLE ticket_attachments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    ticket_id TEXT NOT NULL REFERENCES tickets (id),
    message_id TEXT NOT NULL REFERENCES ticket_messages (id),
    filename TEXT NOT NULL,
    media_type TEXT NOT NULL,
    byte_length INTEGER NOT NULL,
    sha256 TEXT NOT NULL
  ) STRICT;

  CREATE INDEX ticket_attachments_by_ticket ON ticket_attachments (ticket_id, seq);
  `,
  // What is allowed so many times in a while.
  `
  CREATE TABLE admissions (
    -- What was done: 'search'.
    action TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE INDEX admissions_by_time ON admissions (action, account_id, at_ms);
  `,
  // Voices.
  `
  CREATE TABLE voices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- The key that made it, which the records of its fees name.
    key_hash TEXT NOT NULL REFERENCES keys (hash),
    name TEXT NOT NULL,
    engine TEXT NOT NULL CHECK (engine IN ('standard', 'premium', 'extvoice')),
    sample_count INTEGER NOT NULL,
    sample_ms INTEGER NOT NULL,
    sample_bytes INTEGER NOT NULL,
    monthly_micro_rub INTEGER NOT NULL CHECK (monthly_micro_rub >= 0),
    created_at_ms INTEGER NOT NULL,
    last_used_at_ms INTEGER,
    -- Absent while it is unpaid.
    next_charge_at_ms INTEGER,
    -- Present while it is unpaid.
    deletion_at_ms INTEGER,
    CHECK ((next_charge_at_ms IS NULL) <> (deletion_at_ms IS NULL))
  ) STRICT;

  CREATE INDEX voices_by_account ON voices (account_id, seq);
  `,
  // What each Idempotency-Key came to, of all operations; before, jobs had theirs in their rows.
  `
  CREATE TABLE idempotency (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    idempotency_key TEXT NOT NULL,
    operation TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    -- The id of a job or of a usage record, or a whole reply.
    result TEXT NOT NULL,
    PRIMARY KEY (account_id, idempotency_key)
  ) STRICT;

  INSERT INTO idempotency
    SELECT account_id, idempotency_key, 'media.generate', request_hash, id FROM media_jobs
    WHERE idempotency_key IS NOT NULL;
  ALTER TABLE media_jobs DROP COLUMN request_hash;
  `,
];
