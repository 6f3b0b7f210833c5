import { expect, it } from 'vitest';
import { endpoints } from '../../src/contract/index.js';
import type { Endpoint } from '../../src/contract/endpoint.js';

it('every row that may answer 402 is paid, except the price of a job', () => {
  const rows: readonly Endpoint[] = endpoints;
  const may402 = rows.filter(({ statuses, moreStatuses = [] }) =>
    [...statuses, ...moreStatuses].includes(402),
  );
  const paid = rows.filter((row) => row.paid !== undefined).map(({ id }) => id);
  expect(may402.map(({ id }) => id).filter((id) => id !== 'media.price')).toEqual(paid);
  expect(paid).toHaveLength(13);
});
