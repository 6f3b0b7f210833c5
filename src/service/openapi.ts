/** The service's description of itself. */
import { json, type Call } from './call.js';

/** GET /api/openapi; derived from the rows, and loaded only here. */
export async function openApi({ house }: Call): Promise<Response> {
  const { describeOpenApi } = await import('../contract/describe.js');
  return json(describeOpenApi({ brand: house.brand }));
}
