/** A service that asks to wait: how long that is done, and what is said of it. */
import { expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { PollingClock, SkippingClock } from '../helpers/manual-clock.js';
import { run } from '../helpers/run.js';

const now = Date.UTC(2026, 0, 1);

async function limited(line: string, retryAfter: string) {
  const service = await fakeService(
    json({ error: 'slow down' }, 429, { 'retry-after': retryAfter }),
  );
  const clock = new SkippingClock({ now });
  const result = await run(line, { env: service.env, clock, tty: { stdin: true } });
  const waits = clock.sleeps.filter((ms) => ms === Number(retryAfter) * 1000);
  return { ...result, asked: service.requests.length, waits };
}

it.each(['balance', 'chat -m m hi', 'speak -m m hi -o -', 'api GET /v1/balance', 'models list'])(
  'svc %s is told at once when to come back',
  async (line) => {
    const { code, stderr, asked, waits } = await limited(line, '7200');
    expect({ code, waits, asked }).toEqual({ code: 7, waits: [], asked: 1 });
    expect(stderr).toContain('come back in 7200 s, at 2026-01-01T02:00:00Z');
    expect(stderr).toContain('hint: wait 2 h, then run it again');
  },
);

it('says it in the JSON error', async () => {
  const { stderr } = await limited('balance --json', '7200');
  expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 7, retryAfterSeconds: 7200 } });
});

it('waits for 60 s in all, and says so once', async () => {
  const { code, stderr, waits } = await limited('balance', '40');
  expect({ code, waits }).toEqual({ code: 7, waits: [40_000] });
  expect(stderr.match(/^waiting 40 s: /gm)).toHaveLength(1);
  expect((await limited('balance', '30')).waits).toEqual([30_000, 30_000]);
  expect((await limited('balance', '61')).waits).toEqual([]);
});

it.each(['--retry-wait 3h', '--timeout 3h'])('waits for longer with %s', async (flag) => {
  const answers = [
    json({ error: 'slow down' }, 429, { 'retry-after': '7200' }),
    json({ balance_rub: 5, currency: 'RUB' }),
  ];
  const service = await fakeService((seen, response) => answers.shift()?.(seen, response));
  const clock = new PollingClock({ now });
  const waits = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    const slept = waits(ms, signal);
    if (ms === 7_200_000) clock.pass(ms);
    return slept;
  };
  const result = await run(`balance ${flag}`, { env: service.env, clock });
  expect(result).toMatchObject({ code: 0 });
  expect(result.stderr).toContain('waiting 2 h: the service answered 429 and asked to wait\n');
});
