import { join } from 'node:path';
import type { Recipe } from './recipe.js';

const modelVariables = [
  'ANTHROPIC_MODEL',
  ...['OPUS', 'SONNET', 'HAIKU'].map((tier) => `ANTHROPIC_DEFAULT_${tier}_MODEL`),
  'CLAUDE_CODE_SUBAGENT_MODEL',
];

/** They choose another service. */
const elsewhere = ['BEDROCK', 'VERTEX', 'FOUNDRY'].map((name) => `CLAUDE_CODE_USE_${name}`);

export const claude: Recipe = {
  names: ['claude', '@anthropic-ai/claude-code'],
  wire: 'messages',
  verified: { version: '2.1.197', by: 'run' },
  uncovered: 'Settings that an administrator has fixed come before those of svc.',
  setup: ({ folder, address: { rootUrl, key, model } }) => {
    const models = Object.fromEntries(modelVariables.map((name) => [name, model ?? '']));
    const env = { ANTHROPIC_BASE_URL: rootUrl, ...(model !== undefined && models) };
    const path = join(folder, 'claude-settings.json');
    // The variables of a user's settings file come before those of the process.
    const off = Object.fromEntries(elsewhere.map((name) => [name, '']));
    return {
      args: ['--settings', path],
      env: { ...env, ANTHROPIC_AUTH_TOKEN: key },
      unset: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', ...elsewhere],
      files: [{ path, contents: JSON.stringify({ env: { ...env, ...off } }) }],
    };
  },
};
