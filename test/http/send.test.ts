import { describe, expect, it } from 'vitest';
import type { RetryClass } from '../../src/contract/endpoint.js';
import { AttemptFailed, BodyCut, type HttpResponse } from '../../src/http/types.js';
import { send, type Call } from '../../src/http/send.js';
import { ManualClock, SkippingClock } from '../helpers/manual-clock.js';
import { scripted, silence, type Scripted } from '../helpers/scripted-transport.js';
import { getting, rejection, textOf } from './rig.js';

const refused = new AttemptFailed('connect', false, 'refused');
const dropped = new AttemptFailed('reset', true, 'dropped');

function sending(
  { transport }: Scripted,
  retry: RetryClass,
  more: Partial<Call<string>> = {},
): Call<string> {
  return {
    transport,
    request: getting(new URL('https://service.test/')),
    retry,
    clock: new SkippingClock(),
    read: async (response) => `${response.status} ${await textOf(response)}`,
    ...more,
  };
}

describe('a call', () => {
  it('is sent up to three times, with longer waits, and gives up unread answers', async () => {
    const script = scripted({ status: 503 }, refused, { body: 'there' });
    const clock = new SkippingClock();
    expect(await send(sending(script, 'safe', { clock }))).toBe('200 there');
    expect(clock.sleeps).toEqual([250, 500]);
    expect(script.discarded()).toBe(1);
  });

  it('is sent again when its answer breaks off, unless it may be charged', async () => {
    const cut = () => scripted({ body: 'hal', cut: 'truncated' }, { body: 'whole' });
    expect(await send(sending(cut(), 'safe'))).toBe('200 whole');
    const once = cut();
    expect(await rejection(send(sending(once, 'never')))).toMatchObject({ name: 'BodyCut' });
    expect(once.requests).toHaveLength(1);
  });

  it('remembers that an earlier attempt may have arrived', async () => {
    const failure = await rejection(send(sending(scripted(dropped, refused), 'idempotent')));
    expect(failure).toMatchObject({ reason: 'connect', sent: true });
    const reported: boolean[] = [];
    const read = (_response: HttpResponse, isUncertain: boolean) => {
      reported.push(isUncertain);
      return Promise.resolve('');
    };
    await send(sending(scripted(dropped, { status: 404 }), 'idempotent', { read }));
    await send(sending(scripted(refused, { status: 404 }), 'idempotent', { read }));
    expect(reported).toEqual([true, false]);
  });
});

describe('the deadline of a call', () => {
  it('ends an attempt that is under way', async () => {
    const clock = new ManualClock();
    const call = send(sending(scripted(silence), 'safe', { clock, deadlineMs: 30_000 }));
    const failed = rejection(call);
    clock.pass(29_999);
    await Promise.resolve();
    expect(clock.sleeping).toBe(1);
    clock.pass(1);
    expect(await failed).toMatchObject({
      reason: 'deadline',
      sent: true,
      message: 'not finished within 30 s',
    });
  });

  it('ends the reading of an answer', async () => {
    const clock = new ManualClock();
    const { transport } = scripted((request) => {
      const pipe = async () => {
        await silence(request);
      };
      return Promise.resolve({ status: 200, headers: {}, pipe, discard: () => undefined });
    });
    const call = sending({ ...scripted({}), transport }, 'never', { clock, deadlineMs: 1000 });
    const failed = rejection(send(call));
    await turns(5);
    clock.pass(1000);
    expect(await failed).toMatchObject({ reason: 'deadline', sent: true });
  });

  it('applies to an answer that has been handed on, until its last byte', async () => {
    const clock = new ManualClock();
    const script = scripted({ body: 'stream' }, (request) =>
      Promise.resolve({
        status: 200,
        headers: {},
        pipe: () =>
          new Promise<void>((_resolve, reject) => {
            request.signal?.addEventListener('abort', () => {
              reject(new BodyCut('aborted', 'aborted'));
            });
          }),
        discard: () => undefined,
      }),
    );
    const read = (response: HttpResponse) => Promise.resolve(response);
    const handOn = async () => {
      const response = await send({
        ...sending(script, 'never', { clock, deadlineMs: 1000 }),
        read,
      });
      return { pipe: response.pipe(() => undefined), response };
    };
    await (
      await handOn()
    ).pipe;
    expect(clock.sleeping).toBe(0);
    const late = rejection((await handOn()).pipe);
    clock.pass(5000);
    expect(await late).toMatchObject({ reason: 'deadline', message: 'not finished within 1 s' });
  });
});

it('a call that is aborted hands its signal to the attempt, alone or beside a deadline', async () => {
  for (const deadlineMs of [undefined, 1000]) {
    const abort = new AbortController();
    const { signal } = abort;
    const clock = new ManualClock();
    const call = sending(scripted(silence), 'safe', { clock, signal, deadlineMs });
    const failed = rejection(send(call));
    await turns(3);
    abort.abort(new Error('Ctrl-C'));
    expect(await failed).toMatchObject({ reason: 'aborted', sent: true });
  }
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}
