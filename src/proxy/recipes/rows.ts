/** What each program needs, as data. */
import { join } from 'node:path';
import { claude } from './claude.js';
import { codex } from './codex.js';
import { opencode } from './opencode.js';
import type { Recipe, Unsuitable } from './recipe.js';
import { answerTokens, assumedContextTokens } from './settings.js';

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

const qwen: Recipe = {
  names: ['qwen', '@qwen-code/qwen-code'],
  wire: 'chat',
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
  wire: 'chat',
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
  wire: 'chat',
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
  wire: 'chat',
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
  wire: 'chat',
  verified: { version: '0.90', by: 'source' },
  uncovered: 'A crush.json of the folder comes before the settings of svc.',
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
