import { describe, expect, it } from 'vitest';
import { Limits } from '../../src/batch/limits.js';
import type { BatchRequest } from '../../src/batch/request.js';
import {
  ApiError,
  LocalFileError,
  NetworkError,
  OutcomeUnknown,
  PriceTooHigh,
} from '../../src/errors.js';
import { gate } from '../helpers/gate.js';
import { answer, busy, gates, play, requests, turn } from './play.js';

describe('a batch', () => {
  it('records each request before it is sent, and writes each answer once', async () => {
    const { error, log, progress } = await play(3, () => Promise.resolve(answer));
    expect(error).toBeUndefined();
    const shown = log.map((line) => line.replace(/^\+\w{16} /, '+'));
    expect(shown.toSorted()).toEqual(
      ['q1', 'q2', 'q3'].flatMap((id) => [`+"${id}"`, `out ${id}`, `send ${id}`]).toSorted(),
    );
    for (const id of ['q1', 'q2', 'q3']) {
      expect(shown.indexOf(`+"${id}"`)).toBeLessThan(shown.indexOf(`send ${id}`));
    }
    expect(progress).toMatchObject({ done: 3, inFlight: 0, tokens: 30 });
  });

  it('takes answers from the cache without a record, a reservation or a request', async () => {
    const cached = ({ id }: BatchRequest) =>
      Promise.resolve(id === 'q2' ? undefined : { ...answer, costRub: 0, cached: true as const });
    let reserved = 0;
    const reserve = () => {
      reserved += 1;
      return { settle: () => undefined, release: () => undefined };
    };
    for (const isOrdered of [false, true]) {
      const more = { cached, isOrdered, money: { reserve } };
      const { error, log, progress } = await play(1000, () => Promise.resolve(answer), more);
      expect(error).toBeUndefined();
      expect(log.filter((line) => line.startsWith('send'))).toEqual(['send q2']);
      expect(log.filter((line) => line.startsWith('+'))).toHaveLength(1);
      expect(new Set(log.filter((line) => line.startsWith('out'))).size).toBe(1000);
      expect(progress).toMatchObject({ done: 1000, cached: 999, inFlight: 0 });
    }
    expect(reserved).toBe(2);
  });

  it('writes what the cache answers in between, and keeps little of it', async () => {
    const long = { ...answer, cached: true as const, body: JSON.stringify('x'.repeat(100_000)) };
    let longest = 0;
    const add = (lines: string) => void (longest = Math.max(longest, lines.length));
    const more = { cached: () => Promise.resolve(long), sinks: { add } };
    const { progress } = await play(200, () => Promise.resolve(answer), more);
    expect(progress).toMatchObject({ done: 200, cached: 200 });
    expect(longest).toBeLessThan(400_000);
  });

  it('sends nothing before its record is on the disk, nor when it does not get there', async () => {
    const [reached, synced] = [gate(), gate()];
    const syncNotes = () => {
      reached.open();
      return synced.opened;
    };
    let sent = 0;
    const send = () => {
      sent += 1;
      return Promise.resolve(answer);
    };
    const playing = play(1, send, { sinks: { syncNotes } });
    await reached.opened;
    await turn();
    expect(sent).toBe(0);
    synced.open();
    await playing;
    expect(sent).toBe(1);
    const broken = () => Promise.reject(new LocalFileError('the disk fails'));
    const { error } = await play(2, send, { sinks: { syncNotes: broken } });
    expect(error).toMatchObject({ message: 'the disk fails' });
    expect(sent).toBe(1);
  });

  it('sends the requests of other models while one waits for its limits', async () => {
    const slow = new Limits({ rpm: 1, random: () => 0.5 });
    const fast = new Limits({ random: () => 0.5 });
    const limitsOf = ({ id }: BatchRequest) => (/q[1-3]/.test(id) ? slow : fast);
    const { log, error } = await play(6, () => Promise.resolve(answer), { limitsOf });
    expect(error).toBeUndefined();
    const sent = log.filter((line) => line.startsWith('send'));
    expect(sent).toEqual(['q1', 'q4', 'q5', 'q6', 'q2', 'q3'].map((id) => `send ${id}`));
  });

  it.each([
    [false, ['out q2', 'out q1']],
    [true, ['out q1', 'out q2']],
  ])('with ordered: %s writes what comes in another order as %j', async (isOrdered, expected) => {
    const { open, send } = gates();
    const playing = play(2, send, { isOrdered });
    await turn();
    open('q2');
    await turn();
    open('q1');
    const { log } = await playing;
    expect(log.filter((line) => line.startsWith('out'))).toEqual(expected);
  });

  it('sends again what was refused for a limit, and what failed without a charge', async () => {
    const { error, log, progress } = await play(2, (id, attempt) => {
      if (attempt < 4) throw id === 'q1' ? busy() : new NetworkError('no connection');
      return Promise.resolve(answer);
    });
    expect(error).toBeUndefined();
    expect(log.filter((line) => line === 'send q1')).toHaveLength(4);
    expect(log.filter((line) => line === 'send q2')).toHaveLength(4);
    expect(progress).toMatchObject({ done: 2, failed: 0 });
  });

  it('leaves to the next run what fails five times', async () => {
    const { error, log, progress } = await play(2, (id) => {
      if (id === 'q2') throw new NetworkError('no connection');
      return Promise.resolve(answer);
    });
    expect(error).toBeUndefined();
    expect(log.filter((line) => line === 'send q2')).toHaveLength(5);
    expect(log.at(-1)).toBe('-"q2"');
    expect(progress).toMatchObject({ done: 1 });
  });

  it('records as not charged what waits to be sent again when it ends', async () => {
    const { error, log } = await play(2, (id) => {
      throw id === 'q1' ? busy() : new ApiError('no', { status: 401 });
    });
    expect(error).toMatchObject({ status: 401 });
    expect(log.filter((line) => line.startsWith('-')).toSorted()).toEqual(['-"q1"', '-"q2"']);
  });

  it('writes the answers behind a request that waits to be sent again when it ends', async () => {
    const ended = new ApiError('no money', { status: 402 });
    const failures = new Map(Object.entries({ q1: busy(), q3: ended }));
    const send = (id: string) => {
      const failure = failures.get(id);
      return failure ? Promise.reject(failure) : Promise.resolve(answer);
    };
    const { error, log } = await play(3, send, { concurrency: 3, isOrdered: true });
    expect(error).toBe(ended);
    expect(log.filter((line) => /^(out|-)/.test(line)).toSorted()).toEqual([
      '-"q1"',
      '-"q3"',
      'out q2',
    ]);
  });

  it('waits for what is in flight where the input cannot be read any more', async () => {
    const changed = new LocalFileError('changed', { code: 'input_changed' });
    const inputs = async function* () {
      yield await Promise.resolve(requests(2));
      throw changed;
    };
    const { error, log, progress } = await play(2, () => turn().then(() => answer), {
      concurrency: 3,
      requests: inputs(),
    });
    expect(error).toBe(changed);
    expect(log.slice(-2)).toEqual(['out q1', 'out q2']);
    expect(progress).toMatchObject({ done: 2, inFlight: 0 });
  });

  it('ends at a page, which every request of a wrong base URL would get, and names what was sent', async () => {
    const page = new ApiError('x', { status: 302, isForeign: true, outcomeUnknown: true });
    const { error, progress } = await play(9, () => Promise.reject(page));
    expect(error).toBe(page);
    expect(progress.unknown.map(({ id }) => id)).toEqual(['q1', 'q2']);
  });

  it('never sends again what may have been charged, and names it', async () => {
    const { error, log, progress } = await play(2, (id) => {
      if (id === 'q1') throw new OutcomeUnknown('dropped');
      return Promise.resolve(answer);
    });
    expect(error).toBeUndefined();
    expect(log.filter((line) => line === 'send q1')).toHaveLength(1);
    expect(progress.unknown.map(({ id }) => id)).toEqual(['q1']);
  });

  it('goes on after a request that fails for good, whose line says why', async () => {
    const lines: string[] = [];
    const add = (text: string) => void lines.push(text);
    const { error, progress } = await play(
      1,
      () => {
        throw new ApiError('no such model', {
          status: 404,
          code: 'unknown_model',
          fields: { a: 1 },
        });
      },
      { sinks: { add } },
    );
    expect(error).toBeUndefined();
    expect(progress).toMatchObject({ done: 0, failed: 1 });
    expect(JSON.parse(lines.join(''))).toEqual({
      id: expect.stringMatching(/^batch_req_[0-9a-f]{16}$/),
      custom_id: 'q1',
      response: { status_code: 404, request_id: null, body: { a: 1 } },
      error: { code: 'unknown_model', message: 'no such model' },
      svc: { cost: { priceRub: 0 }, ids: {}, attempts: 1, ms: 0 },
    });
  });

  it('puts a request that fails for good into the errors file, as an input line', async () => {
    const lines: string[] = [];
    const addErrors = (text: string) => void lines.push(text);
    await play(
      1,
      () => {
        throw new ApiError('too long', { status: 400, serviceCode: 'invalid' });
      },
      { sinks: { addErrors } },
    );
    expect(lines).toEqual([
      '{"custom_id":"q1","method":"POST","url":"/v1/chat/completions","body":{"n":1},"error":{"code":"invalid","message":"too long"}}\n',
    ]);
  });

  it.each([
    ['an invalid key', new ApiError('no', { status: 401 })],
    ['an empty balance', new ApiError('no', { status: 402 })],
  ])('ends for %s, after what is in flight', async (_name, refusal) => {
    const { open, send } = gates();
    const playing = play(9, (id) => {
      if (id === 'q2') throw refusal;
      return send(id);
    });
    await turn();
    open('q1');
    const { error, log, progress } = await playing;
    expect(error).toBe(refusal);
    expect(log.filter((line) => line.startsWith('send'))).toEqual(['send q1', 'send q2']);
    expect(progress).toMatchObject({ done: 1 });
    expect(log).toContain('-"q2"');
  });

  it('sends nothing after a stop, and waits for what is in flight', async () => {
    const { open, send } = gates();
    const stopping = new AbortController();
    const playing = play(9, send, { stop: stopping.signal });
    await turn();
    stopping.abort();
    await turn();
    open('q1');
    open('q2');
    const { error, progress } = await playing;
    expect(error).toBeUndefined();
    expect(progress).toMatchObject({ done: 2, inFlight: 0 });
  });

  it('ends when an answer cannot be written, saves those that fit, and counts the others', async () => {
    const written: string[] = [];
    const full = new LocalFileError('the disk is full');
    const add = (text: string) => {
      if (written.length > 0 || text.split('\n').length > 2) throw full;
      written.push(text);
    };
    const { error, progress } = await play(9, () => Promise.resolve(answer), { sinks: { add } });
    expect(error).toBe(full);
    expect(written).toHaveLength(1);
    expect(progress).toMatchObject({ done: 1, unsaved: 1 });
  });

  it('sends nothing that the journal cannot record', async () => {
    const full = new LocalFileError('the disk is full');
    const note = () => {
      throw full;
    };
    const { error, log } = await play(3, () => Promise.resolve(answer), { sinks: { note } });
    expect(error).toBe(full);
    expect(log).toEqual([]);
  });

  it('waits for what is in flight where a budget has no room, and ends where it never will', async () => {
    let free = 1;
    const tooHigh = new PriceTooHigh('more than the budget');
    const reserve = ({ id }: BatchRequest) => {
      if (id === 'q3') throw tooHigh;
      if (free === 0) return undefined;
      free -= 1;
      return { settle: () => void (free += 1), release: () => undefined };
    };
    const { error, log, progress } = await play(4, () => Promise.resolve(answer), {
      money: { reserve },
    });
    expect(error).toBe(tooHigh);
    expect(log.filter((line) => /^(send|out)/.test(line))).toEqual([
      'send q1',
      'out q1',
      'send q2',
      'out q2',
    ]);
    expect(progress).toMatchObject({ done: 2 });
  });
});
