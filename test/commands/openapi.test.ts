import { describe, expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';

describe('svc openapi', () => {
  it('prints the description of the embedded service', async () => {
    for (const line of ['--local openapi', '--local openapi --json']) {
      const result = await run(line);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(result.stdout)).toMatchObject({
        openapi: '3.0.3',
        info: { version: '1.0.0' },
        paths: { '/v1/chat/completions': { post: {} }, '/v1/models/{id}': { get: {} } },
      });
    }
  });

  it('prints what the service has, whatever its shape', async () => {
    for (const value of [{ openapi: '3.1.0', 'x-new': [null] }, []]) {
      const service = await fakeService(json(value));
      const result = await run('openapi', { env: service.env });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(result.stdout)).toEqual(value);
      expect(service.requests).toMatchObject([{ method: 'GET', url: '/api/openapi' }]);
    }
  });
});
