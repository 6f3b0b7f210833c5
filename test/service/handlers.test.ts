import { describe, expect, it } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { endpoints } from '../../src/contract/index.js';
import { unserved } from '../../src/service/handlers.js';
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
  it('leaves exactly these rows for later', () => {
    expect([...unserved].sort()).toEqual([
      'feedback.create',
      'feedback.get',
      'tickets.attachment',
      'tickets.close',
      'tickets.create',
      'tickets.get',
      'tickets.list',
      'tickets.reply',
    ]);
  });

  it('answers 501 in plain JSON for exactly those', async () => {
    const open = service();
    const missing: string[] = [];
    for (const row of endpoints) {
      const response = await ask(row, open);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      const body: unknown = await response.json();
      if (response.status !== 501) continue;
      missing.push(row.id);
      const code = 'not_implemented';
      const isMedia = row.path.startsWith('/api/media/');
      expect(body).toMatchObject(isMedia ? { ok: false, code } : { error: { code } });
    }
    expect(missing.sort()).toEqual([...unserved].sort());
  });

  it('asks for the key before it says that a row is for later', async () => {
    const response = await service().fetch(
      new Request('http://any.example/v1/embeddings', { method: 'POST', body: '{}' }),
    );
    expect(response.status).toBe(401);
  });

  it('has no fault of its own in any row that is served, whatever the body', async () => {
    const open = service();
    for (const row of endpoints) {
      const response = await ask(row, open);
      expect([200, 400, 402, 404, 422, 501], row.id).toContain(response.status);
    }
  });
});
