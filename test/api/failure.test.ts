import { describe, expect, it } from 'vitest';
import { call } from '../../src/api/call.js';
import type { Client } from '../../src/api/client.js';
import { getBalance } from '../../src/contract/billing.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { LocalFileError, NetworkError, OutcomeUnknown, UsageError } from '../../src/errors.js';
import { AttemptFailed } from '../../src/http/types.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { silence, type Step } from '../helpers/scripted-transport.js';
import { rejection } from '../http/rig.js';
import { clientOver, json } from './client.js';
import { idempotentRow, question } from './rows.js';

describe('a connection that fails', () => {
  const refused = new AttemptFailed('connect', false, 'service.test: the connection was refused');
  const dropped = new AttemptFailed('reset', true, 'service.test: the connection dropped');
  const ask = (steps: readonly [Step, ...Step[]]) => {
    const client = clientOver(steps);
    return { client, error: rejection(call(client, createChatCompletion, { body: question })) };
  };
  const start = (client: Client) =>
    call(client, idempotentRow, { params: { name: 'n' }, body: {} });

  it('is a network error after three attempts when nothing can have been charged', async () => {
    const client = clientOver([dropped]);
    expect(await rejection(call(client, getBalance, {}))).toMatchObject({
      name: 'NetworkError',
      code: 'connection_dropped',
      hint: expect.stringContaining('run it again'),
    });
    expect(client.requests).toHaveLength(3);
    const { client: unsent, error: unsentError } = ask([refused]);
    expect(await unsentError).toBeInstanceOf(NetworkError);
    expect(unsent.requests).toHaveLength(3);
  });

  it('says to check the date where a certificate has expired', async () => {
    const words = 'service.test: its certificate is not trusted (certificate has expired)';
    const client = clientOver([new AttemptFailed('tls', false, words)]);
    expect(await rejection(call(client, getBalance, {}))).toMatchObject({
      hint: expect.stringMatching(/^check the date of this computer/),
    });
  });

  it('leaves the outcome unknown when the call may have been charged, and says where to look', async () => {
    for (const reason of ['reset', 'first-byte-timeout', 'protocol'] as const) {
      const { client, error } = ask([new AttemptFailed(reason, true, 'service.test: it failed')]);
      expect(await error).toBeInstanceOf(OutcomeUnknown);
      expect(await error).toMatchObject({
        message: 'service.test: it failed; it may have been carried out and charged',
        hint: expect.stringContaining('`svc usage list`'),
      });
      expect(client.requests).toHaveLength(1);
    }
  });

  it('also leaves it unknown after three attempts with one token', async () => {
    const client = clientOver([dropped]);
    expect(await rejection(start(client))).toMatchObject({
      name: 'OutcomeUnknown',
      hint: expect.stringContaining('svc jobs list'),
    });
    expect(client.requests).toHaveLength(3);
  });

  it('leaves it unknown when later attempts only meet a busy service', async () => {
    const after = (answer: Step) => start(clientOver([dropped, answer]));
    const own = json({ ok: false, code: 'busy', message: 'later' }, 502);
    for (const [answer, error] of [
      [json({}, 503), { name: 'ApiError', outcomeUnknown: true }],
      [own, { name: 'OutcomeUnknown' }],
      [json({}, 402), { name: 'ApiError', status: 402 }],
    ] as const) {
      expect(await rejection(after(answer))).toMatchObject(error);
    }
    expect((await after(json({ jobId: 'j' }, 202))).data.jobId).toBe('j');
  });

  it('is a timeout at the deadline of the whole call', async () => {
    const clock = new ManualClock();
    const client = { ...clientOver([silence]), clock, timeLimit: { leftMs: () => 30_000 } };
    const failed = rejection(call(client, getBalance, {}));
    await Promise.resolve();
    clock.pass(30_000);
    expect(await failed).toMatchObject({
      name: 'TimeoutError',
      message: 'not finished within 30 s',
      hint: expect.stringContaining('--timeout'),
    });
  });

  it('is not waited for when the service asks for more time than there is', async () => {
    const busy = json({ error: 'slow down' }, 429, { 'retry-after': '37' });
    const client = clientOver([busy], { timeLimit: { leftMs: () => 30_000 } });
    const error = await rejection(call(client, getBalance, {}));
    expect(error).toMatchObject({ name: 'ApiError', status: 429 });
    expect(client.requests).toHaveLength(1);
  });

  it.each(['-5', '1e99', 'soon', '', '864000'])(
    'is not retried blindly when the service asks to wait for %j',
    async (after) => {
      const busy = json({ error: 'slow down' }, 429, { 'retry-after': after });
      const client = clientOver([busy, json({ balance_rub: 5 })]);
      const error = await rejection(call(client, getBalance, {}));
      expect(error).toMatchObject({
        name: 'ApiError',
        status: 429,
        message: expect.stringMatching(/is not valid$|of more than a day$/),
      });
      expect(client.requests).toHaveLength(1);
    },
  );

  it('ends with the reason of the abort', async () => {
    const abort = new AbortController();
    const reason = new Error('Ctrl-C');
    const client = clientOver([silence], { signal: abort.signal });
    const failed = rejection(call(client, getBalance, {}));
    await Promise.resolve();
    abort.abort(reason);
    expect(await failed).toBe(reason);
  });

  it('is reported as a local file error when our body cannot be read', async () => {
    const step = new AttemptFailed('body', true, 'the request body could not be read');
    expect(await rejection(call(clientOver([step]), getBalance, {}))).toBeInstanceOf(
      LocalFileError,
    );
    const own = new UsageError('not a WAV file');
    const failure = new AttemptFailed('body', true, 'the body could not be read', own);
    expect(await rejection(call(clientOver([failure]), getBalance, {}))).toBe(own);
  });
});
