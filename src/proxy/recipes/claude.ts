import { join } from 'node:path';
import type { Recipe } from './recipe.js';
import { answerTokens } from './settings.js';

const modelVariables = [
  'ANTHROPIC_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
  'CLAUDE_CODE_SUBAGENT_MODEL',
  ...['OPUS', 'SONNET', 'HAIKU'].map((tier) => `ANTHROPIC_DEFAULT_${tier}_MODEL`),
];

/** They choose another service, or add to each request what is meant for one. */
const elsewhere = [
  ...['BEDROCK', 'VERTEX', 'FOUNDRY'].map((name) => `CLAUDE_CODE_USE_${name}`),
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_API_KEY',
];

export const claude: Recipe = {
  names: ['claude', '@anthropic-ai/claude-code'],
  wire: 'messages',
  verified: { version: '2.1.197', by: 'run' },
  uncovered:
    "Its thinking is off and its web search fails, since the service has neither as it asks for them. It fails with 401 where your settings.json sets ANTHROPIC_AUTH_TOKEN. An administrator's settings come before those of svc.",
  // The later settings would replace these.
  elsewhere: /^--settings\b/,
  setup: ({ folder, rootUrl, model }) => {
    const models = model === undefined ? [] : modelVariables.map((name) => [name, model] as const);
    const env = {
      ANTHROPIC_BASE_URL: rootUrl,
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(answerTokens),
      // It would ask for the adaptive kind.
      MAX_THINKING_TOKENS: '0',
      ...Object.fromEntries(models),
    };
    const path = join(folder, 'claude-settings.json');
    // The variables in a user's own settings would come before those of the process.
    const off = Object.fromEntries(elsewhere.map((name) => [name, '']));
    return {
      args: ['--settings', path],
      env,
      unset: ['CLAUDE_CODE_OAUTH_TOKEN', ...elsewhere],
      files: [{ path, contents: JSON.stringify({ env: { ...env, ...off } }) }],
    };
  },
};
