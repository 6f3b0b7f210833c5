import { ExtendPriceRequest, ExtendRequest } from '../../src/contract/media.js';
import { requests } from './requests.js';

requests({
  'the price of an extension': {
    schema: ExtendPriceRequest,
    base: { tier: 'lite' },
    accepted: [{ tier: 'fast' }, { tier: 'quality' }],
    refused: [{ tier: undefined }, { tier: 'best' }, { prompt: 'more' }],
  },
  'an extension': {
    schema: ExtendRequest,
    base: { taskId: 'job-1', prompt: 'more', tier: 'lite' },
    accepted: [{ seeds: 7, watermark: 'mine' }],
    refused: [
      { taskId: undefined },
      { prompt: undefined },
      { tier: undefined },
      { seeds: 1.5 },
      { watermark: 3 },
      { extra: 1 },
    ],
  },
});
