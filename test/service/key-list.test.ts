import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { FakeClock, get, keys, openService, post, read } from './helpers.js';

const Keys = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({ id: z.string(), name: z.string(), last_used_at: z.nullable(z.string()) }),
  ),
});

describe('GET /v1/keys', () => {
  it("lists the account's own keys", async () => {
    const service = openService({ clock: new FakeClock(Date.UTC(2026, 0, 15, 12)) });
    const { data } = await read(get(service, '/v1/keys'), Keys);
    expect(data.map(({ name }) => name)).toEqual(['local', 'local-blocked', 'local-limited']);
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      object: 'api_key',
      name: 'local-blocked',
      prefix: 'sk-svc-',
      last_four: 'cked',
      ip_allow_list: ['203.0.113.1'],
      sandbox: false,
      created_at: '2026-01-15T12:00:00.000Z',
      last_used_at: null,
    });
    const other = await read(get(service, '/v1/keys', keys.sandbox), Keys);
    expect(other.data).toMatchObject([{ name: 'local-sandbox', sandbox: true }]);
  });

  it('never shows a key', async () => {
    const text = await (await get(openService(), '/v1/keys')).text();
    // Every other key begins with this one.
    expect(text).not.toContain(keys.local);
  });

  it('says when a key last paid for something', async () => {
    const clock = new FakeClock();
    const service = openService({ clock });
    clock.set(Date.UTC(2026, 1, 1));
    await post(service, '/v1/embeddings', { model: 'embed', input: 'a' });
    const { data } = await read(get(service, '/v1/keys'), Keys);
    expect(data.map(({ last_used_at }) => last_used_at)).toEqual([
      '2026-02-01T00:00:00.000Z',
      null,
      null,
    ]);
  });
});
