/** What kill -9 between any two steps of a submission leaves: one job per intent, and its id. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MediaSource } from '../../src/media/sources.js';
import { AttemptFailed, type HttpResponse, type Transport } from '../../src/http/types.js';
import { FakeMedia, refusal } from '../../test/helpers/fake-media.js';
import { testFolder } from '../../test/helpers/folder.js';
import { PollingClock } from '../../test/helpers/manual-clock.js';
import { seeded } from '../../test/helpers/random.js';
import { killedAt, Killed, startProcess } from './killable.js';

const bytes = Buffer.alloc(60_000, 'image');
const large: MediaSource = {
  at: 'stdin',
  bytes,
  length: bytes.length,
  kind: 'image',
  mediaType: 'image/png',
};

/** The steps of a submission that nothing disturbs. */
async function stepsOf(source?: MediaSource): Promise<string[]> {
  const { heart, steps } = killedAt(Infinity);
  await startProcess({ home: testFolder(), media: new FakeMedia() }, heart).generate({ source });
  return steps;
}

describe.each([
  ['a small request', undefined],
  ['a large one', large],
])('%s', (_, source) => {
  it('is on disk before its first byte is sent, and so is its id before anything else happens', async () => {
    expect(await stepsOf(source)).toEqual([
      'before POST /api/media/price',
      'after POST /api/media/price',
      ...(source ? ['before body', 'after body'] : []),
      'before wanted',
      'after wanted',
      'before POST /api/media/generate',
      'after POST /api/media/generate',
      'before accepted',
      'after accepted',
    ]);
  });

  it('killed at any step is found again by the list, once', async () => {
    const { length } = await stepsOf(source);
    const outcomes: unknown[] = [];
    for (let step = 0; step < length; step += 1) {
      const [home, media] = [testFolder(), new FakeMedia()];
      const first = startProcess({ home, media }, killedAt(step).heart);
      await expect(first.generate({ source })).rejects.toThrow(Killed);
      const second = startProcess({ home, media });
      expect(await second.list()).toEqual([]);
      const ids = second.jobEnv.ledger.jobs().map(({ jobId }) => jobId);
      // Every job of the service is in the ledger, and every intent has one job.
      expect(ids).toEqual(media.jobs.map(({ id }) => id));
      expect(media.jobs.length).toBeLessThan(2);
      // A second look changes nothing.
      await startProcess({ home, media }).list();
      expect(media.jobs).toHaveLength(ids.length);
      outcomes.push(media.jobs.length);
    }
    // Before it is recorded nothing was requested; afterwards it was.
    const wanted = (await stepsOf(source)).indexOf('after wanted');
    expect(outcomes).toEqual(Array.from({ length }, (__, step) => (step < wanted ? 0 : 1)));
  });

  it('killed at any step and typed again is one job', async () => {
    const { length } = await stepsOf(source);
    for (let step = 0; step < length; step += 1) {
      const [home, media] = [testFolder(), new FakeMedia()];
      await expect(
        startProcess({ home, media }, killedAt(step).heart).generate({ source }),
      ).rejects.toThrow(Killed);
      const { jobId } = await startProcess({ home, media }).generate({ source });
      expect(media.jobs).toHaveLength(1);
      expect(jobId).toBe(media.jobs.at(-1)?.id);
    }
  });

  it('killed while it is found again is still one job', async () => {
    for (let step = 0; ; step += 1) {
      const [home, media] = [testFolder(), new FakeMedia()];
      const wanted = (await stepsOf(source)).indexOf('after wanted');
      await expect(
        startProcess({ home, media }, killedAt(wanted + 1).heart).generate({ source }),
      ).rejects.toThrow(Killed);
      const { heart, steps } = killedAt(step);
      const killed = await startProcess({ home, media }, heart)
        .list()
        .catch((error: unknown) => error);
      const last = startProcess({ home, media });
      expect(await last.list()).toEqual([]);
      expect(last.jobEnv.ledger.jobs().map(({ jobId }) => jobId)).toEqual(['job_1']);
      expect(media.jobs).toHaveLength(1);
      if (!(killed instanceof Killed)) {
        expect(steps.length).toBeGreaterThan(3);
        break;
      }
    }
  });
});

it('a large request is removed once the service has it, and kept while that is unknown', async () => {
  const [home, media] = [testFolder(), new FakeMedia()];
  const kept = () => readdirSync(join(home, 'data', 'jobs'));
  const lost: (transport: Transport) => Transport = (transport) => async (request) => {
    if (!request.url.pathname.endsWith('/generate')) return transport(request);
    await transport(request);
    throw new AttemptFailed('reset', true, 'the line dropped');
  };
  await expect(
    startProcess({ home, media }, undefined, lost).generate({ source: large }),
  ).rejects.toMatchObject({ name: 'OutcomeUnknown' });
  expect(kept()).toHaveLength(1);
  expect(media.jobs).toHaveLength(1);
  const again = startProcess({ home, media });
  expect(await again.list()).toEqual([]);
  expect(again.jobEnv.ledger.jobs()).toMatchObject([{ jobId: 'job_1' }]);
  expect(media.jobs).toHaveLength(1);
  expect(kept()).toEqual([]);
});

/** The reply of a proxy when the connection behind it breaks. */
function htmlPage(status: number): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    pipe: async (sink) => {
      await sink(Buffer.from('<html>bad gateway</html>'));
    },
    discard: () => undefined,
  };
}

/** A connection, a service and a process that may fail at any step. */
function storm(seed: number) {
  const random = seeded(seed);
  let outage = false;
  const media = new FakeMedia();
  media.instead = ({ url, headers }) => {
    if (!url.startsWith('/api/media/')) return undefined;
    switch (random.below(12)) {
      case 0:
        return refusal(503, 'busy', 'try later');
      case 1:
        return { status: 502, bytes: Buffer.from('<html>bad gateway</html>') };
      case 2:
        return { status: 500, json: {} };
      case 3:
        return refusal(429, 'rate_limited', 'slow down');
      case 4: {
        // Of a key that it knows the service does not ask for the quote again (section 3.1).
        const isKnown = media.jobs.some(({ key }) => key === headers['idempotency-key']);
        const isNew = url.endsWith('/generate') && !isKnown;
        return isNew ? refusal(409, 'quote_stale', 'stale') : undefined;
      }
      default:
        return undefined;
    }
  };
  const around: (transport: Transport) => Transport = (transport) => async (request) => {
    if (outage) throw new AttemptFailed('connect', false, 'there is no network');
    switch (random.below(9)) {
      case 0:
        throw new AttemptFailed('connect', false, 'refused');
      case 3: {
        await transport(request);
        return htmlPage(502);
      }
      case 1:
        throw new AttemptFailed('reset', true, 'dropped before it arrived');
      case 2: {
        await transport(request);
        throw new AttemptFailed('first-byte-timeout', true, 'no answer');
      }
      default:
        return transport(request);
    }
  };
  const next = () => {
    outage = random.below(4) === 0;
    return random.below(14);
  };
  return { media, around, next };
}

it('through any storm, the same command typed until it succeeds is one job', async () => {
  const attempts: number[] = [];
  for (let seed = 1; seed <= 150; seed += 1) {
    const home = testFolder();
    const clock = new PollingClock();
    const { media, around, next } = storm(seed);
    let id: string | undefined;
    for (let attempt = 1; id === undefined; attempt += 1) {
      expect(attempt, `seed ${String(seed)}`).toBeLessThan(200);
      const fatal = next();
      const { heart } = killedAt(attempt % 2 === 0 ? fatal : Infinity);
      const one = startProcess({ home, media, clock }, heart, around);
      id = await one.generate().then(
        (made) => made.jobId,
        // Killed when its id was written down: that job is done with.
        () => one.jobEnv.ledger.jobs().find(({ jobId }) => jobId !== undefined)?.jobId,
      );
      clock.pass(7_000);
      attempts.push(attempt);
    }
    expect([seed, media.jobs.length, media.jobs[0]?.id]).toEqual([seed, 1, id]);
  }
  // There really were failures.
  expect(Math.max(...attempts)).toBeGreaterThan(5);
});
