import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { UsageHistory } from '../../src/contract/billing.js';
import { TicketList } from '../../src/contract/tickets.js';
import { Sql } from '../../src/lib/sql.js';
import type { Service } from '../../src/service/service.js';
import { findCaller } from '../../src/service/store/accounts.js';
import { mediaJobs, tickets, usage } from '../../src/service/store/tables.js';
import { testFolder } from '../helpers/folder.js';
import { countsSteps } from '../helpers/sqlite-steps.js';
import { get, keys, openService, openTestStore, read } from './helpers.js';

const startMs = Date.UTC(2026, 0, 1);

/** A store with so many records, tickets and images of one account. */
function filledStore(count: number): string {
  const path = join(testFolder(), 'local.sqlite');
  const sql = openTestStore(path);
  const { accountId, keyHash } = findCaller(sql, keys.local) ?? { accountId: '', keyHash: '' };
  const owner = { accountId, keyHash };
  sql.transaction(() => {
    for (let nth = 0; nth < count; nth += 1) {
      const createdAtMs = startMs + nth * 1000;
      const price = { priceMicroRub: 1, createdAtMs };
      const tokens = { promptTokens: 1, completionTokens: 1 };
      const call = { id: `gen_${nth}`, model: 'local/echo', route: ':standard' };
      usage.insert(sql, { ...owner, ...call, ...tokens, ...price });
      const report = { source: 'api', subject: 's', category: 'general', requestIds: [] } as const;
      const state = { status: 'open', occurrences: 1, contentHash: String(nth) } as const;
      const times = {
        createdAtMs,
        updatedAtMs: createdAtMs,
        replyDueAtMs: Number.MAX_SAFE_INTEGER,
      };
      tickets.insert(sql, { id: `ticket_${nth}`, accountId, ...report, ...state, ...times });
      const image = { origin: 'image', model: 'local/canvas', channel: 'standard' } as const;
      const job = { ...image, requestedModel: 'canvas', request: {}, state: 'success' } as const;
      const due = { dueAtMs: createdAtMs, movesMoney: true };
      mediaJobs.insert(sql, { ...owner, ...job, ...price, ...due, id: `job_${nth}` });
    }
  });
  return path;
}

/** The steps of SQLite's machine that reading a list costs a service with so many rows. */
async function stepsOf(list: (service: Service) => Promise<void>, count: number): Promise<number> {
  const reads = vi.spyOn(Sql.prototype, 'number');
  onTestFinished(() => reads.mockRestore());
  const service = openService({ storePath: filledStore(count) });
  await list(service);
  const store: unknown = reads.mock.contexts.at(-1);
  if (!(store instanceof Sql)) throw new Error('the service has read nothing');
  return store.number('SELECT sum(nstep) FROM sqlite_stmt') ?? 0;
}

async function usagePages(service: Service): Promise<void> {
  for (let page = 1, seen = 0; ; page += 1) {
    const path = `/v1/generations?limit=10&page=${page}`;
    const { data, total } = await read(get(service, path), UsageHistory);
    seen += data.length;
    if (seen === total) return;
  }
}

async function ticketPages(service: Service): Promise<void> {
  for (let after: string | null | undefined = ''; after !== null;) {
    const query: string = after === '' ? '' : `&after=${after}`;
    const page = await read(get(service, `/v1/tickets?limit=10${query}`), TicketList);
    after = page.nextCursor;
  }
}

const answered = (path: string) => async (service: Service) => {
  expect((await get(service, path)).status).toBe(200);
};

it.runIf(countsSteps).each([
  ['every page of /v1/generations', usagePages],
  ['a late page of /v1/generations', answered('/v1/generations?limit=10&page=10')],
  ['every page of /v1/tickets', ticketPages],
  ['tickets of one status', answered('/v1/tickets?status=closed')],
  ['/v1/images/generations', answered('/v1/images/generations')],
  ['/v1/usage', answered('/v1/usage')],
  ['/v1/keys', answered('/v1/keys')],
  ['/api/key/usage', answered('/api/key/usage')],
])('ten times the rows cost less than twelve times the work: %s', async (_, list) => {
  const steps = await stepsOf(list, 200);
  expect(steps).toBeGreaterThan(0);
  expect(await stepsOf(list, 2000)).toBeLessThan(steps * 12);
});

it.runIf(countsSteps)(
  'two clients that read /v1/generations in turn cost no more than two that do not',
  async () => {
    const inTurn = async (service: Service) => {
      for (let page = 1; page <= 50; page += 1) {
        await answered(`/v1/generations?limit=10&page=${page}`)(service);
        await answered(`/v1/generations?limit=10&page=${page + 50}`)(service);
      }
    };
    const steps = await stepsOf(usagePages, 1000);
    expect(await stepsOf(inTurn, 1000)).toBeLessThan(steps * 2);
  },
);
