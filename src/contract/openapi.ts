/** The service's own description of itself (sections 4.10 and 9). */
import * as z from 'zod/mini';
import { endpoint } from './endpoint.js';

export const getOpenApi = endpoint({
  id: 'openapi.get',
  section: '4.10',
  summary: 'Show the machine-readable description of the service',
  method: 'GET',
  path: '/api/openapi',
  // Section 5 asks for a key wherever section 4 does not say none.
  auth: 'bearer',
  retry: 'safe',
  returns: z.unknown(),
  statuses: [200, 401],
});
