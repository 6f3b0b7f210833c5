import { getCapabilities } from '../../src/contract/models.js';
import { requests } from './requests.js';

requests({
  'the model capabilities': {
    schema: getCapabilities.query,
    base: {},
    accepted: [{ page: 1, pageSize: 1 }, { pageSize: 100 }],
    refused: [{ page: 0 }, { pageSize: 0 }, { pageSize: 101 }],
  },
});
