import { UsageError } from '../../errors.js';
import { parsedJson, isRecord, recordOf } from '../../lib/json.js';
import type { Recipe } from './recipe.js';
import { answerTokens, assumedContextTokens } from './settings.js';

const variable = 'OPENCODE_CONFIG_CONTENT';

export const opencode: Recipe = {
  names: ['opencode', 'opencode-ai'],
  wire: 'chat',
  verified: { version: '1.18.33', by: 'run' },
  uncovered: "It may be pointed elsewhere by a managed configuration, which comes before svc's.",
  needsModel: true,
  setup: ({ env, apiUrl, model = '' }) => {
    const given = env[variable];
    const own = given ? parsedJson(given) : {};
    if (!isRecord(own)) {
      throw new UsageError(`${variable} is not a JSON object, so svc cannot add to it`, {
        hint: `unset it, or name a file with OPENCODE_CONFIG`,
      });
    }
    const limit = { context: assumedContextTokens, output: answerTokens };
    const svc = {
      npm: '@ai-sdk/openai-compatible',
      name: 'svc',
      options: { baseURL: apiUrl, apiKey: '{env:SVC_API_KEY}' },
      models: { [model]: { limit } },
    };
    const config = {
      ...own,
      ...{ enabled_providers: ['svc'], model: `svc/${model}`, small_model: `svc/${model}` },
      provider: { ...recordOf(own['provider']), svc },
    };
    return { env: { [variable]: JSON.stringify(config) } };
  },
};
