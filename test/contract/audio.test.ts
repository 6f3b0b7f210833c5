import { SpeechRequest, TranscriptionRequest } from '../../src/contract/audio.js';
import { letters, requests } from './requests.js';

requests({
  speech: {
    schema: SpeechRequest,
    base: { model: 'm', input: 'a' },
    accepted: [
      { input: letters(10_000) },
      { input: '🌍'.repeat(10_000) },
      { speed: 0.25 },
      { speed: 4 },
      ...['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'].map((format) => ({
        response_format: format,
      })),
      { voice: 'voice_x', extra: 1 },
    ],
    refused: [
      { model: undefined },
      { input: '' },
      { input: letters(10_001) },
      { speed: 0.24 },
      { speed: 4.01 },
      { response_format: 'ogg' },
    ],
  },
  transcription: {
    schema: TranscriptionRequest,
    base: { model: 'm' },
    accepted: [{ language: 'de' }, { language: letters(10) }],
    refused: [{ model: undefined }, { language: 'd' }, { language: letters(11) }],
  },
});
