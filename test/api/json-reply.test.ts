import { describe, expect, it } from 'vitest';
import { call } from '../../src/api/call.js';
import { getBalance } from '../../src/contract/billing.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { ApiError, OutcomeUnknown } from '../../src/errors.js';
import type { Step } from '../helpers/scripted-transport.js';
import { rejection } from '../http/rig.js';
import { clientOver, json } from './client.js';
import { question } from './rows.js';

describe('a reply that is none', () => {
  const replies: [string, Step, string][] = [
    [
      'an HTML page',
      { body: '<!doctype html><title>Hi</title>' },
      'the service answered 200 with an HTML page',
    ],
    [
      'JSON that breaks off',
      { body: '{"balance_rub":' },
      'the service answered 200 with JSON that breaks off',
    ],
    [
      'damaged JSON',
      { body: '{"balance_rub":oops}' },
      'the service answered 200 with damaged JSON',
    ],
    ['plain text', { body: 'hello' }, 'the service answered 200 with text that is no JSON'],
    [
      'nothing',
      { body: ' ' },
      'the service answered 200 with nothing where its reply was expected',
    ],
    [
      'another shape',
      { body: '{"balance":5}' },
      'the service answered 200 with JSON of another shape where its reply was expected',
    ],
    [
      'compressed',
      { body: 'xx', headers: { 'content-encoding': 'gzip' } },
      'the service answered 200 with a compressed body, though svc asked for none',
    ],
    [
      'deep',
      { body: '['.repeat(10_000) + ']'.repeat(10_000) },
      'the service answered 200 with JSON that is nested too deeply to be a reply',
    ],
    [
      'a bomb',
      { body: `[${'{},'.repeat(600_000)}{}]` },
      'the service answered 200 with JSON of more values than svc reads',
    ],
    [
      'endless',
      { body: Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, 32)) },
      'the service answered 200 with more than 16 MiB',
    ],
  ];
  for (const [kind, step, message] of replies) {
    it(`is told when it is ${kind}`, async () => {
      const error = await rejection(call(clientOver([step]), getBalance, {}));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({
        message,
        code: 'invalid_reply',
        status: 200,
        outcomeUnknown: false,
      });
    });
  }

  it('may have been charged when the call is one that is', async () => {
    const shape = await rejection(
      call(clientOver([json({})]), createChatCompletion, { body: question }),
    );
    expect(shape).toMatchObject({ name: 'ApiError', outcomeUnknown: true });
    const broken = await rejection(
      call(clientOver([{ body: '{"choices":[' }]), createChatCompletion, { body: question }),
    );
    expect(broken).toBeInstanceOf(OutcomeUnknown);
    const cut = await rejection(
      call(clientOver([{ body: '{"cho', cut: 'truncated' }]), createChatCompletion, {
        body: question,
      }),
    );
    expect(cut).toMatchObject({
      name: 'OutcomeUnknown',
      hint: expect.stringContaining('svc usage list'),
    });
  });
});
