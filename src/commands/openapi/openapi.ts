import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getOpenApi } from '../../contract/openapi.js';
import type { openapi } from './index.js';

/** Prints the description as it came. */
export const run: Handler<typeof openapi> = async ({ client, out }) => {
  const { data } = await call(await client({ key: 'optional' }), getOpenApi, {});
  await out.json(data);
};
