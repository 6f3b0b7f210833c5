import { describe, expect, it } from 'vitest';
import { fakeService } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';

describe('the retries of svc api', () => {
  const asked = async (line: string, status: number) => {
    const service = await fakeService((_request, response) => {
      response.writeHead(status, { 'retry-after': '0' }).end();
    });
    const result = await run(line, { env: service.env });
    return [service.requests.length, result.code];
  };

  it('are those of the row that fits, and else of the method', async () => {
    // A quote is safe though it is a POST, and so is the closing of a ticket.
    expect(await asked('api POST /api/media/price -f model=m', 503)).toEqual([3, 6]);
    expect(await asked('api POST /v1/tickets/t1/close', 503)).toEqual([3, 6]);
    expect(await asked('api GET /somewhere/else', 503)).toEqual([3, 6]);
    expect(await asked('api DELETE /somewhere/else', 503)).toEqual([3, 6]);
    expect(await asked('api POST /somewhere/else', 503)).toEqual([1, 10]);
    expect(await asked('api PATCH /v1/models', 503)).toEqual([1, 10]);
    expect(await asked('api POST /v1/chat/completions -f model=m', 503)).toEqual([1, 10]);
  });

  it('repeat a paid job only with the token that keeps it one', async () => {
    expect(await asked('api POST /api/media/generate -f model=m', 502)).toEqual([1, 10]);
    expect(
      await asked('api POST /api/media/generate -f model=m -H Idempotency-Key:k1', 502),
    ).toEqual([3, 10]);
    expect(await asked('api POST /v1/tickets -f subject=s', 503)).toEqual([1, 10]);
    expect(await asked('api POST /v1/tickets -f clientIncidentId=i1', 503)).toEqual([3, 10]);
  });

  it('leave open what became of it when the service has not told of an earlier attempt', async () => {
    const statuses = [502, 429, 429];
    const service = await fakeService((_request, response) => {
      response.writeHead(statuses.shift() ?? 200, { 'retry-after': '0' }).end();
    });
    const line = 'api POST /api/media/generate -f model=m -H Idempotency-Key:k1';
    const result = await run(line, { env: service.env });
    expect(result.code).toBe(10);
    expect(result.stderr).toContain('an earlier attempt may have been carried out');
  });
});
