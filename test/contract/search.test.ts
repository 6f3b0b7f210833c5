import { RegionalSearchRequest, SearchRequest } from '../../src/contract/search.js';
import { letters, requests } from './requests.js';

requests({
  'the regional search': {
    schema: RegionalSearchRequest,
    base: { query: 'q' },
    accepted: [
      { query: letters(1000) },
      { query: '🌍'.repeat(1000) },
      { num: 1 },
      { num: 20 },
      { region: 'ru' },
      { region: 'global' },
      { extra: 1 },
    ],
    refused: [
      { query: undefined },
      { query: letters(1001) },
      { query: '🌍'.repeat(1001) },
      { num: 0 },
      { num: 21 },
      { region: 'eu' },
    ],
  },
  search: {
    schema: SearchRequest,
    base: { query: 'q' },
    accepted: [
      { query: letters(1000) },
      { max_results: 1 },
      { max_results: 20 },
      { country: 'de', language: 'EN' },
      ...['turbo', 'base', 'pro'].map((mode) => ({ mode })),
      { extra: 1 },
    ],
    refused: [
      { query: '' },
      { query: letters(1001) },
      { max_results: 0 },
      { max_results: 21 },
      { max_results: 1.5 },
      { country: 'deu' },
      { country: 'd' },
      { language: 'e1' },
      { mode: 'slow' },
    ],
  },
});
