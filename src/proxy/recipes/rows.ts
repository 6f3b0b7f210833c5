/** The recipes as data. The manual page "Run programs under a ceiling" shows what each was verified with. */
import { claude } from './claude.js';
import { codex } from './codex.js';
import { opencode } from './opencode.js';
import type { Recipe, Unsuitable } from './recipe.js';

/** In both spellings: programs read either. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

const qwen: Recipe = {
  names: ['qwen', '@qwen-code/qwen-code'],
  wire: 'chat',
  verified: { version: '0.15.10', by: 'run' },
  uncovered: 'Its other traffic does not pass the proxy of your network.',
  setup: ({ apiUrl, address: { key, model } }) => ({
    env: {
      OPENAI_BASE_URL: apiUrl,
      OPENAI_API_KEY: key,
      ...(model !== undefined && { OPENAI_MODEL: model }),
    },
    // It ignores NO_PROXY.
    unset: proxyVariables,
  }),
};

export const recipes: readonly Recipe[] = [codex, opencode, qwen, claude];

export const unsuitable: readonly Unsuitable[] = [
  {
    names: ['gemini', '@google/gemini-cli'],
    reason: 'gemini speaks the wire format of Gemini only, which the service does not have',
    hint: 'run a program that speaks the OpenAI or Anthropic format, such as codex or qwen',
  },
];
