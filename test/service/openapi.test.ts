import { describe, expect, it } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { describeOpenApi } from '../../src/contract/describe.js';
import { get, openService } from './helpers.js';

describe('GET /api/openapi', () => {
  it('serves the description that is derived from the rows, under the brand in use', async () => {
    const service = openService({ brand: 'acme' });
    const response = await get(service, '/api/openapi', 'sk-acme-local');
    const expected: unknown = JSON.parse(
      JSON.stringify(describeOpenApi({ brand: brandFrom('acme') })),
    );
    expect(await response.json()).toEqual(expected);
  });
});
