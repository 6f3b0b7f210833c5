import { ImageRequest, listImages } from '../../src/contract/images.js';
import { requests } from './requests.js';

requests({
  images: {
    schema: ImageRequest,
    base: { model: 'm', prompt: 'p' },
    accepted: [
      { n: 1 },
      ...['1024x1024', '1792x1024', '1024x1792', '1536x1024', '1024x1536', 'auto', '16x9'].map(
        (size) => ({ size }),
      ),
      { quality: 'high' },
      { response_format: 'url' },
      { response_format: 'b64_json' },
      { user: { any: 'thing' } },
    ],
    refused: [
      { extra: 1 },
      { model: '' },
      { prompt: '' },
      { n: 0 },
      { n: 2 },
      { size: '1024' },
      { size: '1024x' },
      { size: '0x1024' },
      { size: 'large' },
      { response_format: 'png' },
    ],
  },
  'the list of images': {
    schema: listImages.query,
    base: {},
    accepted: [{ limit: 1 }, { limit: 100 }, { limit: '100' }],
    refused: [{ limit: 0 }, { limit: 101 }, { limit: '1.5' }, { limit: 'many' }],
  },
});
