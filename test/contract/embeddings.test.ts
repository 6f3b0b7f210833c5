import { EmbeddingRequest } from '../../src/contract/embeddings.js';
import { requests } from './requests.js';

requests({
  embeddings: {
    schema: EmbeddingRequest,
    base: { model: 'vendor/model', input: 'hi' },
    accepted: [
      { input: ['a', 'b'] },
      { encoding_format: 'float' },
      { encoding_format: 'base64' },
      { dimensions: 3 },
    ],
    refused: [{ model: undefined }, { input: [1] }, { encoding_format: 'hex' }],
  },
});
