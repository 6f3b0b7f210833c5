import { describe, expect, it } from 'vitest';
import { refusal } from '../../helpers/fake-media.js';
import { scene, type Scene } from './scene.js';
import { fails, jsonOf } from '../../helpers/run.js';

const generates = (at: Scene) => at.calls().filter((call) => call === 'POST /api/media/generate');
const prices = (at: Scene) => at.calls().filter((call) => call === 'POST /api/media/price');

/** A service that refuses the first calls to generate with these, then takes them. */
async function refusing(...replies: ReturnType<typeof refusal>[]) {
  const at = await scene();
  at.on('media.generate', { answer: () => replies.shift() });
  return at;
}

describe('the price', () => {
  it('is requested with the same body, and is the maximum that the job may cost', async () => {
    const at = await scene();
    await at.make('"a lighthouse" --opt size=16:9 --strict --webhook-url https://me.example/hook');
    const request = {
      model: 'vendor/canvas',
      prompt: 'a lighthouse',
      opts: { size: '16:9' },
      strict: true,
      webhook_url: 'https://me.example/hook',
    };
    const quoted = at.requests.find(({ url }) => url === '/api/media/price');
    expect(JSON.parse(quoted?.body ?? '')).toEqual(request);
    expect(at.submitted()).toEqual([{ ...request, quote_id: 'mq_1', max_price_rub: 12.5 }]);
  });

  it('of a job is what the specification calls so in the reply, or the agreed one', async () => {
    const at = await scene();
    at.on('media.generate', { answer: { json: { jobId: 'job_1', cost_rub: 99 } } });
    const { stdout } = await at.svc('generate vendor/canvas x --no-wait --json');
    expect(JSON.parse(stdout)).toMatchObject({ id: 'job_1', cost: { priceRub: 12.5 } });
  });

  it.each([12.5, 12.505, 20])('may be capped by the user, at %s', async (cap) => {
    const at = await scene();
    expect(await at.make(`x --max-cost ${String(cap)}`)).toMatchObject({ code: 0 });
    expect(at.submitted()).toMatchObject([{ quote_id: 'mq_1', max_price_rub: cap }]);
  });

  it('is capped at what the budget leaves, where the cap of the user is higher', async () => {
    const at = await scene();
    const result = await at.make('x --max-cost 1000', { env: { SVC_BUDGET: '13' } });
    expect(result).toMatchObject({ code: 0 });
    expect(at.submitted()).toMatchObject([{ max_price_rub: 13 }]);
  });

  it('above the cap of the user ends with exit code 5, and nothing is submitted', async () => {
    const at = await scene();
    const result = await at.make('x --max-cost 12.49');
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toBe(
      'error: this request may cost up to 12.50 RUB, more than --max-cost 12.49 RUB\n' +
        'hint: raise --max-cost\n',
    );
    expect(generates(at)).toEqual([]);
    expect(at.ledger()).toEqual([]);
  });

  it.each([undefined, -5])('that the service does not name stops the job: %s', async (priceRub) => {
    const at = await scene();
    at.media.when('/api/media/price', { json: { ok: true, priceRub, quoteId: 'mq_1' } });
    const result = await at.make();
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toContain('error: the service gives no price for this request\n');
    expect(generates(at)).toEqual([]);
  });

  it('that is an estimate says why', async () => {
    const at = await scene();
    at.media.when('/api/media/price', {
      json: {
        priceRub: 3,
        isEstimate: true,
        estimateReason: 'the length is\u001b[2J not known',
        quoteId: 'mq_9',
      },
    });
    expect((await at.make()).stderr).toBe(
      'price: 3.00 RUB (an estimate: the length is [2J not known)\n' +
        'job job_1 accepted, 12.50 RUB\n' +
        'warning: job_1 was accepted at 12.50 RUB, above the quote of 3.00 RUB\n',
    );
  });

  it('that is not available now is requested three times, and costs nothing', async () => {
    const at = await scene();
    at.media.when('/api/media/price', refusal(503, 'price_unavailable', 'no price'));
    expect(await at.make()).toMatchObject(fails(6, 'error: no price\n'));
    expect(prices(at)).toHaveLength(3);
    expect(generates(at)).toEqual([]);
  });

  it('ends the run where the account has too little', async () => {
    const at = await refusing(refusal(402, 'insufficient_balance', 'too little'));
    const result = await at.make();
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain(
      'error: too little\nhint: top up in the web cabinet; to see what is left: `svc balance`\n',
    );
    expect(at.ledger().map(({ type, why }) => [type, why])).toEqual([
      ['wanted', undefined],
      ['dropped', 'refused'],
    ]);
  });
});

describe('a quote that no longer holds', () => {
  const refusals = [
    ['stale', refusal(409, 'quote_stale', 'this quote has expired')],
    ['used', refusal(409, 'quote_used', 'this quote was used')],
    ['moved', refusal(409, 'lane_moved', 'the lane has moved')],
    ['unknown', refusal(422, 'quote_unknown', 'no such quote')],
    ['above its own price', refusal(422, 'media_max_price_exceeded', 'it costs more')],
  ] as const;

  it.each(refusals)('because it is %s is asked for again, with a new key', async (_, reply) => {
    const at = await refusing(reply);
    const result = await at.make();
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(
      /^price: 12.50 RUB\nthe quote is no longer valid \(.*\); asking for the price again\nprice: 12.50 RUB\njob job_1 accepted, 12.50 RUB\n$/,
    );
    expect(at.submitted().map((body) => body['quote_id'])).toEqual(['mq_1', 'mq_2']);
    expect(new Set(at.keys()).size).toBe(2);
    expect(at.media.jobs).toHaveLength(1);
  });

  it('continues automatically at a lower price', async () => {
    const at = await refusing(refusal(409, 'quote_stale', 'stale'));
    at.media.prices = [12.5, 11];
    expect(await at.make()).toMatchObject({ code: 0 });
    expect(at.submitted().map((body) => body['max_price_rub'])).toEqual([12.5, 11]);
  });

  it.each(['x', 'x --max-cost 100'])('stops at a higher price: %s', async (line) => {
    const at = await refusing(refusal(409, 'quote_stale', 'stale'));
    at.media.prices = [12.5, 12.51];
    expect(await at.make(line)).toMatchObject(
      fails(5, 'error: the price rose from 12.50 RUB to 12.51 RUB; nothing was submitted\n'),
    );
    expect(generates(at)).toHaveLength(1);
    expect(at.media.jobs).toEqual([]);
  });

  it('is requested again once, not forever', async () => {
    const stale = refusal(409, 'quote_stale', 'this quote has expired');
    const at = await refusing(stale, stale, stale);
    expect(await at.make('x -q')).toMatchObject(fails(3, 'error: this quote has expired\n'));
    expect(generates(at)).toHaveLength(2);
  });

  it('under a cap of the user is not requested again: the cap stays', async () => {
    const at = await refusing(refusal(422, 'media_max_price_exceeded', 'it costs 30 RUB'));
    const result = await at.make('x --max-cost 20 -q');
    expect(result).toMatchObject({ code: 5, stdout: '' });
    expect(result.stderr).toContain('error: it costs 30 RUB\n');
    expect(generates(at)).toHaveLength(1);
  });

  it('keeps the key that the user gave', async () => {
    const at = await refusing(refusal(409, 'quote_stale', 'stale'));
    expect(await at.make('x --idempotency-key mine')).toMatchObject({ code: 0 });
    expect(at.keys()).toEqual(['mine', 'mine']);
  });

  it.each([
    ['another refusal', refusal(422, 'unsupported_options', 'no such size')],
    ['a key that is in use', refusal(409, 'idempotency_key_reused', 'another request')],
  ])('is not the meaning of %s', async (_, reply) => {
    const at = await refusing(reply);
    expect(await at.make()).toMatchObject({ code: 3 });
    expect(prices(at)).toHaveLength(1);
    expect(generates(at)).toHaveLength(1);
  });
});

it('a quote that the user names is what the job runs at: no other price is asked for', async () => {
  const at = await scene();
  expect(await at.make('x --quote-id mq_7 --max-cost 20')).toMatchObject({ code: 0 });
  expect(prices(at)).toEqual([]);
  expect(at.submitted()[0]).toMatchObject({ quote_id: 'mq_7', max_price_rub: 20 });
  const dry = await at.svc('generate vendor/canvas x --quote-id mq_7 --dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({ body: { quote_id: 'mq_7' } });
});

it('a quote that the user names that no longer holds is refused, and no other takes its place', async () => {
  const at = await scene();
  expect(await at.make('x --quote-id mq_7')).toMatchObject({ code: 0 });
  const again = await at.make('x --quote-id mq_7');
  expect(again).toMatchObject({ code: 3, stdout: '' });
  expect(again.stderr).toContain('error: this quote was used by another job\n');
  expect(prices(at)).toEqual([]);
  expect(at.media.jobs).toHaveLength(1);
});

const rich = {
  ok: true,
  priceRub: 7.25,
  isEstimate: true,
  estimateReason: 'not measured',
  breakdown: { perSecondRub: 1.45, seconds: 5 },
  audioSeconds: 1,
  outputSeconds: 4.9,
  sourceSeconds: 5,
  quoteId: 'mq_1',
  expiresAt: '2026-01-01T00:00:00.000Z',
  quoteTtlSeconds: 300,
  currency: 'RUB',
};
const quoting = async () => {
  const at = await scene();
  at.media.when('price', { json: rich });
  return at;
};

it('svc generate --quote shows everything known about the price, and starts nothing', async () => {
  const at = await quoting();
  const result = await at.svc('generate vendor/canvas x --quote', { tty: true });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout.replace(/\d\d:\d\d \(.*\)/, 'TIME')).toBe(
    [
      'Price                 7.25 RUB (an estimate: not measured)',
      'Per second            1.45 RUB',
      'Seconds               5',
      'Measured audio        1 s',
      'Length of the result  4.9 s',
      'Measured source       5 s',
      'Quote                 mq_1',
      'Valid until           2026-01-01 TIME',
      '',
    ].join('\n'),
  );
  expect(at.calls()).toEqual(['POST /api/media/price']);
  expect(at.ledger()).toEqual([]);
});

it('svc generate --quote gives a pipe the same, tab by tab, and a program the reply', async () => {
  const at = await quoting();
  const { stdout } = await at.svc('generate vendor/canvas x --quote');
  expect(stdout.split('\n')[0]).toBe('Price\t7.25 RUB (an estimate: not measured)');
  expect(await jsonOf(at.svc('generate vendor/canvas x --quote --json'))).toEqual(rich);
});

it('svc generate --quote requests the public price without a key', async () => {
  const at = await quoting();
  const result = await at.svc('generate vendor/canvas x --quote --opt size=wide', {
    env: { SVC_API_KEY: undefined },
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(at.requests.map(({ url }) => url)).toEqual(['/api/media/public-price']);
  expect(at.requests[0]?.headers).not.toHaveProperty('authorization');
  // What the model takes is told with a key alone: the request goes as written.
  expect(JSON.parse(at.requests[0]?.body ?? '')).toMatchObject({ opts: { size: 'wide' } });
});

it('svc generate --quote needs a key, or --inline, to price a local file', async () => {
  const at = await quoting();
  const line = ['generate', 'vendor/canvas', 'x', '--quote'];
  expect(
    await at.svc([...line, '--input', `image=${import.meta.filename}`], {
      env: { SVC_API_KEY: undefined },
    }),
  ).toMatchObject(fails(4, 'error: uploading a local file needs a key, and no key is set\n'));
  expect(at.requests).toEqual([]);
});
