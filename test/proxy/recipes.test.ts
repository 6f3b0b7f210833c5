/** What each program is started with, so that it asks the proxy of its run and nobody else. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { setupOf } from '../../src/proxy/recipes/index.js';
import type { ProgramWords } from '../../src/proxy/recipes/recipe.js';
import { recipes } from '../../src/proxy/recipes/rows.js';
import { recordOf } from '../../src/lib/json.js';

const key = `sk-run-${'0a'.repeat(16)}`;
const rootUrl = 'http://127.0.0.1:4321';
const apiUrl = `${rootUrl}/v1`;

function setup(words: ProgramWords, model?: string, env = {}) {
  return setupOf(words, { rootUrl, key, model, folder: '/run', env });
}

/** With the model `vendor/a`. */
const ofModel = (...words: ProgramWords) => setup(words, 'vendor/a');
const fileOf = ({ files }: ReturnType<typeof setup>, name: string): unknown =>
  JSON.parse(files.find(({ path }) => path.endsWith(name))?.contents ?? 'null');

describe('a program', () => {
  it('without a recipe is started with its own words', () => {
    const words: ProgramWords = ['python3', 'ask.py', '-m', 'x'];
    expect(ofModel(...words)).toEqual({ words, env: {}, unset: [], files: [] });
  });

  it.each<[ProgramWords, number]>([
    [['codex', 'exec', 'hi'], 1],
    [['/usr/local/bin/codex', 'exec', 'hi'], 1],
    [[String.raw`C:\npm\codex.cmd`, 'exec', 'hi'], 1],
    [['npx', 'codex', 'exec', 'hi'], 2],
    [['npx', '-y', '@openai/codex@0.171.0', 'exec', 'hi'], 3],
  ])('is known as %j, and gets its words before those of the user', (words, at) => {
    const { words: made } = ofModel(...words);
    expect(made.slice(0, at + 1)).toEqual([...words.slice(0, at), '-c']);
    expect(made.slice(-2)).toEqual(['exec', 'hi']);
  });

  it.each<[ProgramWords]>([
    [['node', 'codex.js']],
    [['npx', '--package', '@openai/codex', 'codex']],
    [['npx']],
    [['codex-helper']],
  ])('is not guessed from %j', (words) => {
    expect(ofModel(...words).words).toEqual(words);
  });

  it.each([
    ['gemini', 'wire format of Gemini'],
    ['cline', 'its key from a file'],
  ])('that cannot ask through the proxy is refused: %s', (name, reason) => {
    expect(() => ofModel(name)).toThrow(reason);
  });

  it.each(['opencode', 'copilot', 'aider', 'llm', 'crush'])(
    'that starts only with a model is refused without one: %s',
    (name) => {
      expect(() => setup([name])).toThrow(`${name} does not start without the name of a model`);
    },
  );

  it.each<ProgramWords>([
    ['codex', '--oss'],
    ['codex', 'exec', '-c', 'model_provider="other"', 'hi'],
    ['codex', '-cmodel_providers.svc.base_url="http://other"'],
    ['codex', '--config=model_providers.svc={}'],
    ['claude', '--settings', 'mine.json'],
    ['qwen', '--openai-base-url=http://other'],
    ['qwen', '--auth-type', 'qwen-oauth'],
    ['qwen', '--auth-type=gemini'],
    ['aider', '--openai-api-base', 'http://other'],
  ])('is refused with words that lead past the ceiling: %s %s', (...words) => {
    const [name, ...more] = words;
    expect(() => setup([name ?? '', ...more], 'vendor/a')).toThrow(UsageError);
    expect(() => setup([name ?? '', '--', ...more], 'vendor/a')).not.toThrow();
  });
});

describe('each recipe', () => {
  const named = recipes.map((recipe) => [recipe.names[0] ?? '', recipe] as const);

  it.each(named)('keeps the key out of words and files, and files in its folder: %s', (name) => {
    const { words, files } = ofModel(name, 'hi');
    expect(JSON.stringify([words, files])).not.toContain(key);
    expect(files.filter(({ path }) => !path.startsWith('/run/'))).toEqual([]);
  });

  it.each(named)('says with which version it was verified, and what it leaves: %s', (_, recipe) => {
    expect(recipe.verified.version).toMatch(/^\d+\.\d+/);
    expect(recipe.uncovered).toMatch(/^[A-Z].*\.$/);
  });

  it.each(['a b', 'a"b\\c', "it's", 'модель/é', 'a\nb\u007f', '{env:HOME}'])(
    'writes the name of a model so that the program reads it: %j',
    (model) => {
      const codex = setup(['codex'], model);
      const setting = codex.words.find((word) => word.startsWith('model='))?.slice(6) ?? '';
      expect(JSON.parse(setting)).toBe(model);
      expect(setting).not.toContain('\u007f');
      expect(fileOf(codex, 'codex-models.json')).toMatchObject({ models: [{ slug: model }] });
      const opencode = setup(['opencode'], model).env['OPENCODE_CONFIG_CONTENT'] ?? '';
      expect(JSON.parse(opencode)).toMatchObject({ model: `svc/${model}` });
      expect(fileOf(setup(['crush'], model), 'crush.json')).toMatchObject({
        models: { large: { model }, small: { model } },
      });
      expect(fileOf(setup(['llm'], model), '.yaml')).toMatchObject([{ model_id: model }]);
      expect(setup(['aider'], model).words).toContain(`openai/${model}`);
    },
  );
});

describe('codex', () => {
  it('asks over responses, for functions only, and repeats nothing', () => {
    const { words, env, unset } = ofModel('codex', 'exec', 'hi');
    expect(words).toEqual([
      'codex',
      ...['-c', 'model_provider="svc"'],
      '-c',
      `model_providers.svc={name="svc",base_url="${apiUrl}",env_key="SVC_API_KEY",wire_api="responses",supports_websockets=false,request_max_retries=0,stream_max_retries=0}`,
      ...['-c', 'web_search="disabled"', '-c', 'features.multi_agent=false'],
      ...['-c', 'mcp_servers.codex_tui={command="codex",enabled=false}'],
      ...['-c', `model_catalog_json="/run/codex-models.json"`, '-c', 'model="vendor/a"'],
      ...['exec', 'hi'],
    ]);
    expect({ env, unset }).toEqual({ env: {}, unset: [] });
  });

  it.each<[readonly string[]]>([
    [['-m', 'own/b']],
    [['-mown/b']],
    [['--model=own/b']],
    [['-c', 'model = "own/b"']],
    [['--config=model=own/b']],
  ])('knows the model of the user in %j', (own) => {
    const made = ofModel('codex', 'exec', ...own);
    expect(fileOf(made, 'codex-models.json')).toMatchObject({ models: [{ slug: 'own/b' }] });
    expect(made.words).toContain('model="own/b"');
  });

  it('has no catalog where nobody has named a model', () => {
    const { words, files } = setup(['codex', 'exec', 'hi']);
    expect(words.join(' ')).not.toMatch(/model_catalog_json|model=/);
    expect(files).toEqual([]);
  });
});

describe('opencode', () => {
  const config = (own?: string) => {
    const { env } = setup(['opencode'], 'vendor/a', { OPENCODE_CONFIG_CONTENT: own });
    return recordOf(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? ''));
  };

  it('knows one provider with one model, and both limits of it', () => {
    expect(config()).toEqual({
      enabled_providers: ['svc'],
      model: 'svc/vendor/a',
      small_model: 'svc/vendor/a',
      provider: {
        svc: {
          npm: '@ai-sdk/openai-compatible',
          name: 'svc',
          options: { baseURL: apiUrl, apiKey: '{env:SVC_API_KEY}' },
          models: { 'vendor/a': { limit: { context: 128_000, output: 8000 } } },
        },
      },
    });
  });

  it('keeps what the user has configured, but for providers and models', () => {
    const own = { share: 'disabled', model: 'other/x', provider: { other: {} } };
    expect(config(JSON.stringify(own))).toMatchObject({
      share: 'disabled',
      model: 'svc/vendor/a',
      enabled_providers: ['svc'],
      provider: { other: {}, svc: {} },
    });
  });

  it('takes an empty variable as none', () => {
    expect(config('')).toEqual(config());
  });

  it('is refused with a configuration that svc cannot add to', () => {
    expect(() => config('{ // mine')).toThrow('OPENCODE_CONFIG_CONTENT is not a JSON object');
  });
});

describe('qwen', () => {
  it('uses no proxy, and neither the login nor the model of its settings', () => {
    const { words, env, unset } = ofModel('qwen', '-p', 'hi');
    const own = ['--auth-type', 'openai', '--model', 'vendor/a'];
    expect(words).toEqual(['qwen', ...own, '-p', 'hi']);
    expect(env).toEqual({});
    expect(unset).toEqual(
      expect.arrayContaining(['HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']),
    );
  });

  it.each([[['--auth-type', 'anthropic', '-m', 'b']], [['mcp', 'list']], [['auth', 'status']]])(
    'gets no words beside %j',
    (own) => {
      expect(ofModel('qwen', ...own).words).toEqual(['qwen', ...own]);
    },
  );
});

describe('claude', () => {
  it("asks with the run's key, and the user's settings cannot change where", () => {
    const made = ofModel('claude', '-p', 'hi');
    expect(made.words).toEqual(['claude', '--settings', '/run/claude-settings.json', '-p', 'hi']);
    expect(made.env).toMatchObject({ ANTHROPIC_BASE_URL: rootUrl, MAX_THINKING_TOKENS: '0' });
    expect(made.unset).toContain('ANTHROPIC_API_KEY');
    expect(made.unset).toContain('CLAUDE_CODE_USE_BEDROCK');
    expect(fileOf(made, 'claude-settings.json')).toEqual({
      env: {
        ANTHROPIC_BASE_URL: rootUrl,
        ANTHROPIC_MODEL: 'vendor/a',
        ANTHROPIC_SMALL_FAST_MODEL: 'vendor/a',
        ANTHROPIC_DEFAULT_OPUS_MODEL: 'vendor/a',
        ANTHROPIC_DEFAULT_SONNET_MODEL: 'vendor/a',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: 'vendor/a',
        CLAUDE_CODE_SUBAGENT_MODEL: 'vendor/a',
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
        MAX_THINKING_TOKENS: '0',
        ...{ CLAUDE_CODE_USE_BEDROCK: '', CLAUDE_CODE_USE_VERTEX: '' },
        ...{ CLAUDE_CODE_USE_FOUNDRY: '', ANTHROPIC_CUSTOM_HEADERS: '', ANTHROPIC_API_KEY: '' },
      },
    });
  });

  it('chooses among its own models where nobody has named one', () => {
    expect(JSON.stringify(setup(['claude']))).not.toContain('_MODEL');
  });
});

it('aider gets the address and the prefix of its models as words, which a file .env cannot change', () => {
  const { words, unset } = ofModel('aider', '--yes');
  const models = ['--model', '--weak-model', '--editor-model'];
  expect(words).toEqual([
    ...['aider', '--openai-api-base', apiUrl],
    ...models.flatMap((name) => [name, 'openai/vendor/a']),
    '--yes',
  ]);
  expect(unset).toContain('OPENROUTER_API_KEY');
});

it('llm gets a folder of its own with one model, whose key is that of the run', () => {
  const made = ofModel('llm', 'hi');
  expect(made.env).toEqual({ LLM_USER_PATH: '/run' });
  expect(fileOf(made, 'extra-openai-models.yaml')).toMatchObject([
    { model_id: 'vendor/a', api_base: apiUrl, api_key_name: 'svc' },
  ]);
  expect(made.files).toContainEqual({ path: '/run/default_model.txt', contents: 'vendor/a' });
});

it('crush knows one provider, whose key it reads from a variable', () => {
  const made = ofModel('crush');
  expect(made.env).toEqual({ CRUSH_GLOBAL_DATA: '/run' });
  expect(fileOf(made, 'crush.json')).toMatchObject({
    options: { disable_default_providers: true },
    models: { large: { provider: 'svc', model: 'vendor/a' }, small: { provider: 'svc' } },
    providers: { svc: { type: 'openai-compat', base_url: apiUrl, api_key: '$SVC_API_KEY' } },
  });
});

it('copilot gets its provider in variables, and none of the others that choose one', () => {
  const { env, unset } = ofModel('copilot');
  expect(env).toMatchObject({
    COPILOT_PROVIDER_BASE_URL: apiUrl,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_PROVIDER_WIRE_API: 'completions',
    COPILOT_MODEL: 'vendor/a',
  });
  expect(unset).toContain('COPILOT_PROVIDER_API_KEY_COMMAND');
});
