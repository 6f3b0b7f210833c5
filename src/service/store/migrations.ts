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
];
