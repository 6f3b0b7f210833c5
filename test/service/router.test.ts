import { describe, expect, it } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { makeRouter } from '../../src/service/router.js';

const rows = [
  { method: 'GET', path: '/v1/things/{id}' },
  { method: 'DELETE', path: '/v1/things/{id}' },
  { method: 'GET', path: '/v1/things/all' },
  { method: 'POST', path: '/api/{brand}/x/{id}/{idx}' },
];
const route = makeRouter(rows, brandFrom('acme'));

describe('makeRouter', () => {
  it('prefers a literal path to a parameter, wherever it stands in the table', () => {
    expect(route('GET', '/v1/things/all')).toEqual({ found: 'row', row: rows[2], params: {} });
  });

  it('decodes parameters', () => {
    expect(route('GET', '/v1/things/a%2Fb%20%D1%8F')).toMatchObject({ params: { id: 'a/b я' } });
  });

  it('puts the brand into paths', () => {
    const found = { found: 'row', row: rows[3], params: { id: '1', idx: '2' } };
    expect(route('POST', '/api/acme/x/1/2')).toEqual(found);
    expect(route('POST', '/api/svc/x/1/2')).toEqual({ found: 'nothing' });
  });

  it('tells a wrong method from a wrong path', () => {
    expect(route('PUT', '/v1/things/7')).toEqual({ found: 'path', methods: ['GET', 'DELETE'] });
    expect(route('HEAD', '/v1/things/all')).toEqual({ found: 'path', methods: ['GET', 'DELETE'] });
    expect(route('GET', '/v1/thing/7')).toEqual({ found: 'nothing' });
  });

  it.each(['/v1/things/', '/v1/things/7/', '//v1/things/7', '/v1/things/%zz', '/V1/things/7', '/'])(
    'finds nothing at %s',
    (path) => {
      expect(route('GET', path)).toEqual({ found: 'nothing' });
    },
  );
});
