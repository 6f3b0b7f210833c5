/** Small files that svc can do without: cached replies of a service, and the last failure. */
import { createHash, randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { makeFolder, readOwnJson } from '../lib/own-file.js';
import { redact } from '../lib/redact.js';
import { Account } from './account.js';
import type { Paths } from './paths.js';

/** A file that may be missing, or unreadable. */
class SmallFile<Content> {
  /** @param content made when the file is read, since few runs read more than one */
  constructor(
    private readonly path: string,
    private readonly content: () => z.ZodMiniType<Content>,
  ) {}

  read(): Content | undefined {
    try {
      return readOwnJson(this.content(), this.path);
    } catch {
      return undefined;
    }
  }

  /** Replaces the content; if it cannot be saved, svc does without. */
  keep(content: Content): void {
    const fresh = `${this.path}.${randomUUID()}`;
    try {
      makeFolder(dirname(this.path));
      writeFileSync(fresh, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(fresh, this.path);
    } catch {
      rmSync(fresh, { force: true });
    }
  }
}

function cache<Content>(kind: string, content: () => z.ZodMiniType<Content>) {
  return (paths: Paths, { service, keyHash }: Omit<Account, 'profile'>) => {
    const hash = createHash('sha256').update(`${service} ${keyHash}`).digest('hex').slice(0, 16);
    return new SmallFile(join(paths.cache, `${kind}-${hash}.json`), content);
  };
}

export const capabilityCache = cache('capabilities', () =>
  z.object({
    models: z.readonly(z.array(z.readonly(z.record(z.string(), z.unknown())))),
    fetchedAtMs: z.number(),
  }),
);

export const nameCache = cache('models', () =>
  z.object({
    names: z.readonly(z.array(z.string())),
    // Up to three, by kinds.
    cheapest: z.optional(z.readonly(z.record(z.string(), z.readonly(z.array(z.string()))))),
    cheapestAtMs: z.optional(z.number()),
  }),
);

export const priceCache = cache('prices', () =>
  z.object({
    pricing: z.unknown(),
    lengths: z.unknown(),
    named: z.optional(z.unknown()),
    fetchedAtMs: z.number(),
  }),
);

const refusals = cache('refused-fields', () => z.record(z.string(), z.boolean()));

/** Fields beyond the specification that a service, by its origin, has refused: not sent again. */
export function refusedFields(paths: Paths, service: string) {
  const file = refusals(paths, { service, keyHash: '' });
  return {
    has: (field: string) => file.read()?.[field] === true,
    add: (field: string) => file.keep({ ...file.read(), [field]: true }),
  };
}

/** How fast a service has let an account send, by model. */
export const learntLimits = cache('learnt-limits', () =>
  z.record(z.string(), z.object({ perSecond: z.number(), inFlight: z.number() })),
);

/** What lists have shown of an account, for completion: names, each with a summary. */
const listed = () => z.array(z.readonly(z.tuple([z.string(), z.string()])));
export const listedCaches = {
  model: cache('listed-models', listed),
  voice: cache('listed-voices', listed),
  ticket: cache('listed-tickets', listed),
};

/** What was typed in chat sessions, oldest first. */
export function chatHistory({ data }: Pick<Paths, 'data'>) {
  const file = new SmallFile(join(data, 'chat-history.json'), () => z.array(z.string()));
  const texts = () => file.read() ?? [];
  return { texts, add: (text: string) => file.keep([...texts(), redact(text)].slice(-1000)) };
}

/** What a support report says of the last failure: facts that cannot hold a secret. */
export interface LastFailure {
  readonly atMs: number;
  /** The command line, without any text that was typed. */
  readonly command: string;
  readonly exit: number;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly requestIds: readonly string[];
  readonly svc: string;
  readonly node: string;
  readonly system: string;
  /** The account of the request ids; absent without a key. */
  readonly account?: Account | undefined;
}

const lastFailureContent = (): z.ZodMiniType<LastFailure> =>
  z.object({
    atMs: z.number(),
    command: z.string(),
    exit: z.number(),
    status: z.optional(z.number()),
    code: z.optional(z.string()),
    requestIds: z.array(z.string()),
    svc: z.string(),
    node: z.string(),
    system: z.string(),
    account: z.optional(Account),
  });

export const lastFailure = (paths: Paths) =>
  new SmallFile(join(paths.data, 'last-failure.json'), lastFailureContent);
