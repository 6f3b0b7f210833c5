/** What each program needs, as data. */
import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import { isRecord, parsedJson, recordOf } from '../../lib/json.js';
import { codex } from './codex.js';
import { answerTokens, assumedContextTokens, type Recipe, type Unsuitable } from './recipe.js';

/** In both spellings: programs read either. */
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** With one of them a program may choose another service by itself. */
const otherKeys = [
  ...['OPENROUTER', 'GEMINI', 'GOOGLE', 'GROQ', 'MISTRAL', 'DEEPSEEK', 'XAI', 'CEREBRAS'],
  ...['TOGETHER', 'FIREWORKS', 'AZURE', 'AZURE_OPENAI', 'COHERE', 'MOONSHOT', 'ZAI', 'VERCEL'],
].map((name) => `${name}_API_KEY`);

const opencode: Recipe = {
  names: ['opencode', 'opencode-ai'],
  verified: { version: '1.18.33', by: 'run' },
  uncovered: 'It may be pointed elsewhere by a managed configuration, which overrides that of svc.',
  needsModel: true,
  setup: ({ env, apiUrl, model = '' }) => {
    const variable = 'OPENCODE_CONFIG_CONTENT';
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

const claudeModels = [
  'ANTHROPIC_MODEL',
  'ANTHROPIC_SMALL_FAST_MODEL',
  'CLAUDE_CODE_SUBAGENT_MODEL',
  ...['OPUS', 'SONNET', 'HAIKU'].map((tier) => `ANTHROPIC_DEFAULT_${tier}_MODEL`),
];

/** They choose another service, or add to each request what is meant for one. */
const claudeElsewhere = [
  ...['BEDROCK', 'VERTEX', 'FOUNDRY'].map((name) => `CLAUDE_CODE_USE_${name}`),
  'ANTHROPIC_CUSTOM_HEADERS',
  'ANTHROPIC_API_KEY',
];

const claude: Recipe = {
  names: ['claude', '@anthropic-ai/claude-code'],
  verified: { version: '2.1.197', by: 'run' },
  uncovered:
    "Its thinking is off and its web search fails, since the service has neither as it asks for them. It fails with 401 where your settings.json sets ANTHROPIC_AUTH_TOKEN. An administrator's settings override those of svc.",
  // The later settings would replace these.
  elsewhere: /^--settings\b/,
  setup: ({ folder, rootUrl, model }) => {
    const models = model === undefined ? [] : claudeModels.map((name) => [name, model] as const);
    const env = {
      ANTHROPIC_BASE_URL: rootUrl,
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(answerTokens),
      // It would ask for the adaptive kind.
      MAX_THINKING_TOKENS: '0',
      ...Object.fromEntries(models),
    };
    const path = join(folder, 'claude-settings.json');
    // The variables in a user's own settings would come before those of the process.
    const off = Object.fromEntries(claudeElsewhere.map((name) => [name, '']));
    return {
      args: ['--settings', path],
      env,
      unset: ['CLAUDE_CODE_OAUTH_TOKEN', ...claudeElsewhere],
      files: [{ path, contents: JSON.stringify({ env: { ...env, ...off } }) }],
    };
  },
};

const qwen: Recipe = {
  names: ['qwen', '@qwen-code/qwen-code'],
  verified: { version: '0.15.10', by: 'run' },
  uncovered: 'It cannot use the proxy of your network, for other requests either.',
  elsewhere: /^(?:--openai-base-url\b|(?:--auth-type=)?(?:qwen-oauth|gemini|vertex-ai)$)/,
  setup: ({ args, model }) => {
    // Its other commands ask no model, and take no such words.
    const isOther = /^(?:mcp|extensions|auth|hooks?|channel|review)$/.test(args[0] ?? '');
    // As words: a login or a model in its settings would come before variables.
    const words = [
      ...(isOther || args.some((word) => word.startsWith('--auth-type'))
        ? []
        : ['--auth-type', 'openai']),
      ...(isOther || model === undefined || args.some((word) => /^(?:-m|--model)/.test(word))
        ? []
        : ['--model', model]),
    ];
    // It ignores NO_PROXY.
    return { args: words, unset: proxyVariables };
  },
};

const copilot: Recipe = {
  names: ['copilot', '@github/copilot'],
  verified: { version: '1.0.102', by: 'run' },
  uncovered: 'What it asks GitHub for does not pass the proxy.',
  needsModel: true,
  setup: ({ apiUrl, key, model = '' }) => ({
    env: {
      COPILOT_PROVIDER_BASE_URL: apiUrl,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_WIRE_API: 'completions',
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(assumedContextTokens),
      COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(answerTokens),
      COPILOT_MODEL: model,
    },
    unset: [
      'API_KEY_COMMAND',
      'BEARER_TOKEN',
      'HEADERS',
      'TRANSPORT',
      'MODEL_ID',
      'WIRE_MODEL',
    ].map((name) => `COPILOT_PROVIDER_${name}`),
  }),
};

const aider: Recipe = {
  names: ['aider', 'aider-chat'],
  verified: { version: '0.86.3', by: 'source' },
  uncovered:
    'It repeats a refusal for money for about a minute. It fails with 401 where a file .env sets OPENAI_API_KEY.',
  needsModel: true,
  elsewhere: /^--(?:openai-api-base|set-env)\b/,
  setup: ({ apiUrl, model = '' }) => ({
    // As words: a file .env of the folder comes before variables.
    args: ['--openai-api-base', apiUrl].concat(
      ['--model', '--weak-model', '--editor-model'].flatMap((name) => [name, `openai/${model}`]),
    ),
    unset: otherKeys,
  }),
};

const llm: Recipe = {
  names: ['llm'],
  verified: { version: '0.32', by: 'source' },
  uncovered: 'It knows neither your templates and keys nor its earlier log during the run.',
  needsModel: true,
  setup: ({ folder, apiUrl, model = '' }) => {
    const tools = { supports_tools: true, supports_schema: true };
    const names = { model_id: model, model_name: model, api_key_name: 'svc' };
    return {
      env: { LLM_USER_PATH: folder },
      unset: otherKeys,
      files: [
        {
          // JSON is YAML too.
          path: join(folder, 'extra-openai-models.yaml'),
          contents: JSON.stringify([{ ...names, api_base: apiUrl, ...tools }]),
        },
        { path: join(folder, 'default_model.txt'), contents: model },
      ],
    };
  },
};

const crush: Recipe = {
  names: ['crush', '@charmland/crush'],
  verified: { version: '0.90', by: 'source' },
  uncovered: 'A crush.json of the folder overrides the settings of svc.',
  needsModel: true,
  setup: ({ folder, apiUrl, model = '' }) => {
    const limits = { context_window: assumedContextTokens, default_max_tokens: answerTokens };
    const chosen = { provider: 'svc', model };
    const config = {
      options: { disable_default_providers: true },
      models: { large: chosen, small: chosen },
      providers: {
        svc: {
          ...{ type: 'openai-compat', base_url: apiUrl, api_key: '$SVC_API_KEY' },
          models: [{ id: model, name: model, ...limits }],
        },
      },
    };
    return {
      env: { CRUSH_GLOBAL_DATA: folder },
      unset: otherKeys,
      files: [{ path: join(folder, 'crush.json'), contents: JSON.stringify(config) }],
    };
  },
};

export const recipes: readonly Recipe[] = [
  ...[codex, opencode, qwen, claude],
  ...[copilot, aider, llm, crush],
];

export const unsuitable: readonly Unsuitable[] = [
  {
    names: ['gemini', '@google/gemini-cli'],
    reason: 'gemini speaks the wire format of Gemini only, which svc does not forward',
    hint: 'run a program that speaks the OpenAI or Anthropic format, such as codex or qwen',
  },
  {
    names: ['cline'],
    reason: 'cline takes its key from a file of its own only, where svc puts none',
    hint: 'start "svc proxy", and give cline its lines by "cline auth"',
  },
];
