import Anthropic from '@anthropic-ai/sdk';
import { expect, it } from 'vitest';
import { keys } from '../../helpers.js';
import { collect, startPeer } from '../peer.js';
import { rejection } from '../../../http/rig.js';
import { anthropic, user } from './client.js';

const hello = { model: 'local/echo', max_tokens: 100, messages: [user('hello')] };
const scripted = { ...hello, model: 'local/script' };
const noModel = { ...hello, model: '' };
const wrongModel = { ...hello, model: 'local/nobody' };

const paths = ['create', 'raw stream', 'stream helper'] as const;

function call(client: Anthropic, path: (typeof paths)[number], body: typeof hello) {
  switch (path) {
    case 'create':
      return client.messages.create(body);
    case 'raw stream':
      return client.messages.create({ ...body, stream: true });
    case 'stream helper':
      return client.messages.stream(body).finalMessage();
  }
}

const refusals = [
  [400, 'BadRequestError', 'invalid_request_error', keys.local, noModel],
  [401, 'AuthenticationError', 'authentication_error', 'sk-svc-nobody', hello],
  [402, 'PaymentRequiredError', 'billing_error', keys.empty, hello],
  [403, 'PermissionDeniedError', 'permission_error', keys.blocked, hello],
  [404, 'NotFoundError', 'not_found_error', keys.local, wrongModel],
  [429, 'RateLimitError', 'rate_limit_error', keys.limited, hello],
] as const;

it.each(refusals)(
  'the anthropic package and refusals raises for %i its %s of type %s, by each way to ask',
  async (status, name, type, key, body) => {
    const peer = await startPeer({ key });
    for (const path of paths) {
      const error = await peer.free(() => rejection(call(anthropic(peer, { key }), path, body)));
      expect(error, path).toBeInstanceOf(Anthropic[name]);
      expect(error, path).toMatchObject({
        status,
        type,
        requestID: expect.stringMatching(/^req_/),
        apiMessage: expect.stringMatching(/\w{3,} \w+/),
      });
    }
  },
);

const overloaded = { status: 529, message: 'too much to do' };

it('the anthropic package and broken streams raises an error in the middle of a stream, after the text before it', async () => {
  const peer = await startPeer({ rules: [{ reply: 'so far so good', error: overloaded }] });
  let received = '';
  const { result: error } = await peer.paid(() => {
    const stream = anthropic(peer).messages.stream(scripted);
    stream.on('text', (delta) => (received += delta));
    return rejection(stream.finalMessage());
  });
  expect(received).toBe('so far so good');
  expect(error).toBeInstanceOf(Anthropic.APIError);
  expect(error).toMatchObject({ type: 'overloaded_error', apiMessage: 'too much to do' });
  const raw = await anthropic(peer).messages.create({ ...scripted, stream: true });
  expect(await rejection(collect(raw))).toBeInstanceOf(Anthropic.APIError);
});
