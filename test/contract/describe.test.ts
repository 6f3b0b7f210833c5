import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from '@readme/openapi-parser';
import { describe, expect, test } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { describeOpenApi } from '../../src/contract/describe.js';
import { endpoints } from '../../src/contract/index.js';
import { testFolder } from '../helpers/folder.js';

const brand = brandFrom('svc');
const document = describeOpenApi({ brand });

function operation(id: string) {
  const all = Object.values(document.paths).flatMap((path) => Object.values(path));
  const found = all.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

describe('the description of the service', () => {
  test('a validator that this project did not write accepts it', async () => {
    const file = join(testFolder(), 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    expect(await validate(file)).toEqual({ valid: true, warnings: [], specification: 'OpenAPI' });
  });

  test('every row is in it once, with its method and path, and nothing else is', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const rows = endpoints.map((row) => `${row.id} ${row.method} ${brand.path(row.path)}`);
    expect(described.sort()).toEqual([...rows].sort());
  });

  test('keyed calls may answer 403 and 429, public ones may not', () => {
    const statuses = (id: string) => Object.keys(operation(id).responses).join(' ');
    expect(statuses('billing.balance')).toBe('200 400 401 403 429 500 503');
    expect(statuses('models.catalog')).toBe('200 500 503');
  });

  test('another brand changes path, header and key prefix', () => {
    const other = describeOpenApi({ brand: brandFrom('acme') });
    expect(other.paths).toHaveProperty(['/api/media/acme/extend', 'post']);
    const text = JSON.stringify(other);
    for (const name of ['x-acme-strict', 'x-acme-media-job-id', 'sk-acme-']) {
      expect(text).toContain(name);
    }
    expect(text).not.toMatch(/svc|\{brand\}/);
  });

  test('path, query and header parameters are described', () => {
    expect(operation('media.file').parameters).toEqual([
      { name: 'id', in: 'path', required: true, description: 'jobId', schema: { type: 'string' } },
      {
        name: 'idx',
        in: 'path',
        required: true,
        description: 'index of the result, counted from 0',
        schema: { type: 'string' },
      },
      { name: 'sig', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'download', in: 'query', required: false, schema: { type: 'string' } },
    ]);
    expect(operation('tickets.list').parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    });
    const headers = operation('media.generate').parameters.map(({ name }) => name);
    expect(headers).toEqual(['idempotency-key', 'x-svc-strict', 'x-svc-sandbox-outcome']);
  });

  test('paid calls that are sent once take an Idempotency-Key, and refuse a taken one', () => {
    const ids = ['images.create', 'media.extend', 'voices.create', 'audio.speech'];
    for (const id of [...ids, 'audio.transcription']) {
      const { parameters, responses } = operation(id);
      expect(parameters).toContainEqual({
        name: 'Idempotency-Key',
        in: 'header',
        description: expect.stringContaining('no second charge'),
        schema: { type: 'string' },
      });
      expect(Object.keys(responses)).toContain('409');
    }
    expect(operation('chat.create').parameters).toEqual([]);
  });
});
