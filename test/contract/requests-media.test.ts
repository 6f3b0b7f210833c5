import { ImageRequest, listImages } from '../../src/contract/images.js';
import {
  ExtendPriceRequest,
  ExtendRequest,
  getResultFile,
  MediaRequest,
} from '../../src/contract/media.js';
import { VoiceCreateRequest, VoiceSamplesRequest } from '../../src/contract/voices.js';
import { letters, link, list, requests } from './requests.js';
const http = 'http://files.example/voice.wav';
const tenMb = 10_485_760;
/** Base64 of so many bytes. */
const audio = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const linked = (count: number) => Array.from({ length: count }, () => ({ audio_url: link }));
const fiftyMb = Array.from({ length: 5 }, () => ({ audio_base64: audio(tenMb) }));
const unlinked = { audio_url: undefined };

requests({
  images: {
    schema: ImageRequest,
    base: { model: 'm', prompt: 'p' },
    takes: {
      n: [1],
      size: ['1024x1024', '1792x1024', '1024x1792', '1536x1024', '1024x1536', 'auto', '16x9'],
      quality: ['high'],
      response_format: ['url', 'b64_json'],
      user: [{ any: 'thing' }],
    },
    refuses: {
      extra: [1],
      model: [''],
      prompt: [''],
      n: [0, 2],
      size: ['1024', '1024x', '0x1024', 'large'],
      response_format: ['png'],
    },
  },
  'the list of images': {
    schema: listImages.query,
    base: {},
    takes: { limit: list.limit },
    refuses: { limit: [0, 101, '1.5', 'many'] },
  },
  'a media job': {
    schema: MediaRequest,
    base: { model: 'm' },
    takes: {
      quote_id: [`mq_${letters(125)}`],
      max_price_rub: [0, '12.50'],
      webhook_url: ['https://hooks.example/done'],
      opts: [{ image_url: link, deep: { er: [1] } }],
      strict: [true],
    },
    refuses: {
      base_url: ['https://service.example'],
      model: [undefined, ''],
      opts: [[1]],
      strict: ['true'],
      quote_id: [`mq_${letters(126)}`, 'qm_1'],
      max_price_rub: [-0.01],
      webhook_url: ['http://hooks.example/done', 'hooks.example'],
    },
  },
  'a result file': {
    schema: getResultFile.query,
    base: { sig: 'abc' },
    takes: { download: ['1'] },
    refuses: { sig: [undefined] },
  },
  'the price of an extension': {
    schema: ExtendPriceRequest,
    base: { tier: 'lite' },
    takes: { tier: ['fast', 'quality'] },
    refuses: { tier: [undefined, 'best'], prompt: ['more'] },
  },
  'an extension': {
    schema: ExtendRequest,
    base: { taskId: 'job-1', prompt: 'more', tier: 'lite' },
    takes: { seeds: [7], watermark: ['mine'] },
    refuses: {
      taskId: [undefined],
      prompt: [undefined],
      tier: [undefined],
      seeds: [1.5],
      watermark: [3],
      extra: [1],
    },
  },
  'a new voice': {
    schema: VoiceCreateRequest,
    base: { name: 'mine', consent: true, audio_url: link },
    takes: { engine: ['standard'], remove_background_noise: [true] },
    takesAlso: [
      { ...unlinked, audio_base64: audio(tenMb) },
      { ...unlinked, audio_base64: `data:audio/wav;base64,${audio(tenMb)}` },
      { ...unlinked, samples: linked(1) },
      { ...unlinked, samples: linked(1), engine: 'premium' },
      { ...unlinked, samples: linked(25), engine: 'extvoice' },
    ],
    refuses: {
      name: [undefined],
      consent: [undefined, false],
      engine: ['best'],
      audio_url: [undefined, http],
      audio_base64: [audio(3)],
    },
    refusesAlso: [
      { ...unlinked, audio_base64: audio(tenMb + 1) },
      { ...unlinked, samples: [] },
      { ...unlinked, samples: linked(2) },
      { ...unlinked, samples: linked(2), engine: 'standard' },
      { ...unlinked, samples: linked(26), engine: 'extvoice' },
      { samples: linked(25), engine: 'extvoice' },
      { ...unlinked, samples: [{}] },
      { ...unlinked, samples: [{ audio_url: link, audio_base64: audio(3) }] },
    ],
  },
  'more recordings': {
    schema: VoiceSamplesRequest,
    base: { samples: linked(1) },
    takes: { samples: [linked(25), fiftyMb], remove_background_noise: [false] },
    refuses: {
      samples: [
        ...[undefined, [], linked(26), [{ audio_base64: audio(tenMb + 1) }]],
        [...fiftyMb, { audio_base64: audio(1) }],
      ],
    },
  },
});
