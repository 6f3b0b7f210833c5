import { getResultFile, MediaRequest } from '../../src/contract/media.js';
import { letters, requests } from './requests.js';

const url = 'https://files.example/voice.wav';

requests({
  'a media job': {
    schema: MediaRequest,
    base: { model: 'm' },
    accepted: [
      { prompt: 'a cat', opts: { image_url: url, deep: { er: [1] } }, strict: true },
      { quote_id: `mq_${letters(125)}` },
      { max_price_rub: 0 },
      { max_price_rub: '12.50' },
      { webhook_url: 'https://hooks.example/done' },
    ],
    refused: [
      { extra: 1 },
      { base_url: 'https://service.example' },
      { model: undefined },
      { model: '' },
      { opts: [1] },
      { strict: 'true' },
      { quote_id: `mq_${letters(126)}` },
      { quote_id: 'qm_1' },
      { max_price_rub: -0.01 },
      { webhook_url: 'http://hooks.example/done' },
      { webhook_url: 'hooks.example' },
    ],
  },
  'a result file': {
    schema: getResultFile.query,
    base: { sig: 'abc' },
    accepted: [{ download: '1' }],
    refused: [{ sig: undefined }],
  },
});
