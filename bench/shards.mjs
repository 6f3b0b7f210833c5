// Processes under one limit that do not talk to each other, simulated: a virtual clock, seeded
// randomness, and a service that refuses what is over its limit.
import { join } from 'node:path';
import { build } from 'esbuild';

const perSecond = 400;
const latencyMs = 50;

/** Services that accept 400 a second; each says whether it accepts a request at a time in ms. */
export const services = {
  bucket: () => {
    let [tokens, atMs] = [40, 0];
    return (nowMs) => {
      tokens = Math.min(40, tokens + ((nowMs - atMs) * perSecond) / 1000);
      atMs = nowMs;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    };
  },
  window: () => {
    let [second, count] = [0, 0];
    return (nowMs) => {
      const now = Math.floor(nowMs / 1000);
      if (now !== second) [second, count] = [now, 0];
      return count < perSecond && ++count > 0;
    };
  },
  sliding: () => {
    const times = Array(perSecond).fill(-Infinity);
    let oldest = 0;
    return (nowMs) => {
      if (times[oldest] > nowMs - 1000) return false;
      times[oldest] = nowMs;
      oldest = (oldest + 1) % perSecond;
      return true;
    };
  },
};

function seeded(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Every process has more to send than it may. */
function simulate(Limits, { count, service, retryAfterMs, fromMs, untilMs }) {
  const random = seeded(7);
  const accepts = services[service]();
  /** By the millisecond in which they happen. */
  const events = [];
  const add = (event) => (events[Math.ceil(event.atMs)] ??= []).push(event);
  const shards = Array.from({ length: count }, () => {
    return { limits: new Limits({ random }), accepted: 0, dueMs: Infinity };
  });
  let refused = 0;
  const steps = {
    wakes: ({ atMs, shard }) => {
      if (atMs >= shard.dueMs) shard.dueMs = Infinity;
    },
    arrives: ({ atMs, shard, sentMs }) => {
      const isAccepted = accepts(atMs);
      if (atMs >= fromMs && isAccepted) shard.accepted += 1;
      if (atMs >= fromMs && !isAccepted) refused += 1;
      const then = isAccepted ? 'answered' : 'refused';
      add({ atMs: atMs + latencyMs / 2, shard, sentMs, then });
    },
    answered: ({ atMs, shard, sentMs }) => shard.limits.answered(atMs, atMs - sentMs, 0),
    refused: ({ atMs, shard }) => shard.limits.refused(atMs, retryAfterMs),
  };
  // Started over two seconds, as a scheduler does.
  for (const shard of shards) add({ atMs: random() * 2000, shard, then: 'wakes' });
  for (let atMs = 0; atMs <= untilMs; atMs += 1) {
    for (const event of events[atMs] ?? []) {
      const { shard, then } = event;
      steps[then]({ ...event, atMs });
      if (then === 'arrives') continue;
      let waitMs;
      while ((waitMs = shard.limits.waitMs(atMs)) === 0) {
        shard.limits.sent(atMs, 0);
        const arrivalMs = atMs + latencyMs * (0.25 + random() / 2);
        add({ atMs: arrivalMs, shard, sentMs: atMs, then: 'arrives' });
      }
      const dueMs = atMs + Math.ceil(waitMs);
      if (dueMs >= shard.dueMs) continue;
      shard.dueMs = dueMs;
      add({ atMs: dueMs, shard, then: 'wakes' });
    }
    delete events[atMs];
  }
  const each = shards.map((shard) => shard.accepted);
  const accepted = each.reduce((sum, one) => sum + one, 0);
  const squares = each.reduce((sum, one) => sum + one ** 2, 0);
  const seconds = (untilMs - fromMs) / 1000;
  return {
    share: accepted / (perSecond * seconds),
    refused: refused / (accepted + refused),
    fairness: accepted ** 2 / (count * squares),
  };
}

/** Prints what the processes get of the limit, what is refused, and Jain's fairness index. */
export async function benchShards() {
  const bundled = await build({
    entryPoints: [join(import.meta.dirname, '../src/batch/limits.ts')],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const code = Buffer.from(bundled.outputFiles[0].contents).toString('base64');
  const { Limits } = await import(`data:text/javascript;base64,${code}`);
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  for (const count of [1, 4, 1000]) {
    for (const service of Object.keys(services)) {
      for (const retryAfterMs of [undefined, 1000]) {
        const times = { fromMs: 60_000, untilMs: 240_000 };
        const run = simulate(Limits, { count, service, retryAfterMs, ...times });
        const work = `${count} under 400/s, ${service}${retryAfterMs ? ', Retry-After' : ''}`;
        console.log(
          `${work.padEnd(44)} ${percent(run.share)}, refused ${percent(run.refused)}, fairness ${run.fairness.toFixed(2)}`,
        );
      }
    }
  }
}
