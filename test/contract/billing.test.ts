import { listUsage } from '../../src/contract/billing.js';
import { requests } from './requests.js';

requests({
  'the usage history': {
    schema: listUsage.query,
    base: {},
    accepted: [
      { page: 1, limit: 1 },
      { page: '2', limit: '100' },
      { dateFrom: '2026-01-31T00:00:00Z', dateTo: '2026-01-31T00:00:00+03:00' },
    ],
    refused: [{ page: 0 }, { limit: 0 }, { limit: 101 }, { dateFrom: 'yesterday' }],
  },
});
