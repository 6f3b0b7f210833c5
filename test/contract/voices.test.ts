import { VoiceCreateRequest, VoiceSamplesRequest } from '../../src/contract/voices.js';
import { requests } from './requests.js';

const tenMb = 10_485_760;
/** Base64 of so many bytes. */
const audio = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const url = 'https://files.example/voice.wav';
const linked = (count: number) => Array.from({ length: count }, () => ({ audio_url: url }));

requests({
  'a new voice': {
    schema: VoiceCreateRequest,
    base: { name: 'mine', consent: true, audio_url: url },
    accepted: [
      { audio_url: undefined, audio_base64: audio(tenMb) },
      { audio_url: undefined, audio_base64: `data:audio/wav;base64,${audio(tenMb)}` },
      { audio_url: undefined, samples: linked(1) },
      { audio_url: undefined, samples: linked(1), engine: 'premium' },
      { audio_url: undefined, samples: linked(2), engine: 'extvoice' },
      { audio_url: undefined, samples: linked(25), engine: 'extvoice' },
      { engine: 'standard', remove_background_noise: true },
    ],
    refused: [
      { name: undefined },
      { consent: undefined },
      { consent: false },
      { engine: 'best' },
      { audio_url: undefined },
      { audio_url: 'http://files.example/voice.wav' },
      { audio_base64: audio(3) },
      { audio_url: undefined, audio_base64: audio(tenMb + 1) },
      { audio_url: undefined, samples: [] },
      { audio_url: undefined, samples: linked(2) },
      { audio_url: undefined, samples: linked(2), engine: 'standard' },
      { audio_url: undefined, samples: linked(26), engine: 'extvoice' },
      { samples: linked(25), engine: 'extvoice' },
      { audio_url: undefined, samples: [{}] },
      { audio_url: undefined, samples: [{ audio_url: url, audio_base64: audio(3) }] },
    ],
  },
  'more recordings': {
    schema: VoiceSamplesRequest,
    base: { samples: linked(1) },
    accepted: [
      { samples: linked(25), remove_background_noise: false },
      { samples: Array.from({ length: 5 }, () => ({ audio_base64: audio(tenMb) })) },
    ],
    refused: [
      { samples: undefined },
      { samples: [] },
      { samples: linked(26) },
      { samples: [{ audio_base64: audio(tenMb + 1) }] },
      {
        samples: [
          ...Array.from({ length: 5 }, () => ({ audio_base64: audio(tenMb) })),
          { audio_base64: audio(1) },
        ],
      },
    ],
  },
});
