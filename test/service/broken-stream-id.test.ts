import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { post, splitEvents } from './helpers.js';
import { scripted } from './script.js';

const Failure = z.object({ type: z.literal('error'), request_id: z.string() });

describe('an error in the middle of a stream of messages', () => {
  it('names its request as the header does, and a ticket may cite it', async () => {
    const error = { status: 503, code: 'overloaded' };
    const { service } = scripted([{ reply: 'so far so good', error }]);
    const messages = [{ role: 'user', content: 'x' }];
    const body = { model: 'local/script', max_tokens: 50, stream: true, messages };
    const response = await post(service, '/v1/messages', body);
    const last = splitEvents(await response.text()).at(-1);
    const { request_id: id } = Failure.parse(JSON.parse(last?.data ?? ''));
    expect(id).toBe(response.headers.get('request-id'));
    const ticket = {
      subject: 'A stream broke',
      message: 'It broke in the middle.',
      requestIds: [id],
    };
    expect((await post(service, '/v1/tickets', ticket)).status).toBe(201);
  });
});
