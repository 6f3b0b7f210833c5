import { describe, expect, it } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { endpoints } from '../../src/contract/index.js';
import { keys, openService } from './helpers.js';

const service = () => openService({ openingBalanceRub: 0 });

function ask(row: (typeof endpoints)[number], from = service()): Promise<Response> {
  const path = brandFrom('svc')
    .path(row.path)
    .replaceAll(/\{\w+\}/g, 'x');
  return from.fetch(
    new Request(`http://any.example${path}`, {
      method: row.method,
      headers: {
        authorization: `Bearer ${keys.local}`,
        ...(row.auth === 'session' ? { cookie: 'svc_session=local' } : {}),
      },
      ...(row.method === 'POST' || row.method === 'PATCH' ? { body: '{}' } : {}),
    }),
  );
}

describe('handlers', () => {
  it('asks for the key before it looks at the body', async () => {
    const response = await service().fetch(
      new Request('http://any.example/v1/embeddings', { method: 'POST', body: '{}' }),
    );
    expect(response.status).toBe(401);
  });

  it('serves every row, and has no fault of its own, whatever the body', async () => {
    const open = service();
    for (const row of endpoints) {
      const response = await ask(row, open);
      expect([200, 400, 402, 404, 422], row.id).toContain(response.status);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });
});
