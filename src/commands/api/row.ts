/** What the contract says of a request that was written by hand. */
import { unlistedRow } from '../../api/call.js';
import type { Payload } from '../../api/prepare.js';
import type { Brand } from '../../contract/brand.js';
import type { Endpoint, RetryClass } from '../../contract/endpoint.js';
import { recordOf } from '../../lib/json.js';

/** As much of a row as a request to any path can have. */
export type Row = Pick<
  Endpoint,
  'id' | 'auth' | 'retry' | 'statuses' | 'statusNotes' | 'slow' | 'stream'
> & { readonly returns?: Endpoint['returns'] };

/** The contract's row for a method and a path, or what holds for a path that it does not know. */
export async function rowFor(method: string, path: string, brand: Brand): Promise<Row> {
  const { endpoints } = await import('../../contract/index.js');
  const pathname = path.replace(/\?.*$/s, '');
  const rows: readonly Endpoint[] = endpoints;
  const fitting = rows
    .map((row) => ({ row, template: brand.path(row.path) }))
    .filter(({ row, template }) => row.method === method && patternOf(template).test(pathname));
  // A literal path wins over one with parameters.
  const unlisted: Row = { ...unlistedRow(method), auth: 'bearer' };
  const [found = { row: unlisted }] = [
    ...fitting.filter(({ template }) => !template.includes('{')),
    ...fitting,
  ];
  return found.row;
}

function patternOf(template: string): RegExp {
  const steps = template
    .split('/')
    .map((step) => (step.startsWith('{') ? '[^/]+' : step.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${steps.join('/')}$`);
}

/** An idempotent row may be sent again only with the token that makes it so. */
export function retryOf(
  { retry }: Row,
  headers: Readonly<Record<string, string>>,
  payload: Payload | undefined,
): RetryClass {
  if (retry !== 'idempotent') return retry;
  const hasToken = 'idempotency-key' in headers || namesIncident(payload?.body);
  return hasToken ? 'idempotent' : 'never';
}

/** Section 2.15: a ticket of the same clientIncidentId is not made twice. */
function namesIncident(body: Payload['body'] | undefined): boolean {
  if (typeof body !== 'string') return false;
  try {
    return typeof recordOf(JSON.parse(body))['clientIncidentId'] === 'string';
  } catch {
    return false;
  }
}
