import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
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

  it('goes to a file with -o, whole or not at all', async () => {
    const folder = testFolder();
    const path = join(folder, 'openapi.json');
    const service = await fakeService(json({ openapi: '3.0.3' }));
    const { env } = service;
    const result = await run(['openapi', '-o', path], { env });
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: `wrote ${path}\n` });
    expect(readFileSync(path, 'utf8')).toBe('{\n  "openapi": "3.0.3"\n}\n');

    const again = await run(['openapi', '-o', path], { env });
    expect(again).toMatchObject({ code: 11, stdout: '' });
    expect(service.requests).toHaveLength(1);
    expect(await run(['openapi', '-o', path, '--force'], { env })).toMatchObject({ code: 0 });

    const failing = await fakeService(json({ error: 'no' }, 401));
    const other = join(folder, 'other.json');
    expect(await run(['openapi', '-o', other], { env: failing.env })).toMatchObject({ code: 4 });
    expect(readdirSync(folder)).toEqual(['openapi.json']);
  });
});
