/**
 * Real agent programs finish a turn with a tool call against `svc serve`, where the machine allows
 * it in a network of their own that reaches nothing else. `.ci/run` installs the programs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';
import { program } from '../../test/bin/package.js';

const installed = resolve(import.meta.dirname, '../../.cache/agents/node_modules');
/** Each starts in 1 to 10 s; another machine may be busy. */
const timeoutMs = 240_000;

/** In the namespace, nothing outlives its first process. */
const namespace = ['-n', '-p', '-f', '--mount-proc', '--kill-child'];
const loopback = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const alone = [namespace, ['-r', ...namespace]]
  .map((flags) => ['unshare', ...flags, ...loopback])
  .find(([command = '', ...words]) => spawnSync(command, [...words, 'true']).status === 0);

let script = '';
beforeAll(async () => {
  script = await bundle('bench/soak/agent-process.ts');
});
afterAll(() => rmSync(dirname(script), { recursive: true }));

beforeEach(({ skip }) => {
  if (existsSync(installed)) return;
  const reason = `the agent programs are not in ${installed}; .ci/run installs them`;
  if (process.env['CI']) throw new Error(reason);
  skip(reason);
});

interface Agent {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A settings file in its home, and its contents. */
  readonly settings?: readonly [path: string, contents: object];
  /** The tool that runs a command or writes a file, and its arguments. */
  readonly toolCall: { readonly name: string; readonly arguments: object };
  /** What only the tool could have answered. */
  readonly result: string;
}

const prompt = 'please make it';
const command = 'echo made-$((40 + 2)) | tee made.txt';
const ran = 'made-42';

function codex(model: string, name: string, given: object, result = ran): Agent {
  const provider = 'name="svc",base_url="ROOT/v1",env_key="SVC_API_KEY",wire_api="responses"';
  const settings = [
    'analytics.enabled=false',
    'features.plugins=false',
    'features.apps=false',
    'model_provider="svc"',
    `model_providers.svc={${provider}}`,
  ].flatMap((setting) => ['-c', setting]);
  const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  const start = [process.execPath, join(installed, '@openai/codex/bin/codex.js')];
  const words = [...start, 'exec', ...flags, ...settings, '-m', model, prompt];
  return { words, toolCall: { name, arguments: given }, result };
}

function opencode(npm: string): Agent {
  const options = { baseURL: 'ROOT/v1', apiKey: '{env:SVC_API_KEY}' };
  const models = { 'local/script': { limit: { context: 128_000, output: 4000 } } };
  const config = {
    ...{ model: 'svc/local/script', small_model: 'svc/local/script', enabled_providers: ['svc'] },
    ...{ autoupdate: false, share: 'disabled', permission: 'allow' },
    provider: { svc: { npm, options, models } },
  };
  const off = ['MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'];
  const env = Object.fromEntries(off.map((name) => [`OPENCODE_DISABLE_${name}`, '1']));
  return {
    words: [join(installed, '.bin/opencode'), 'run', prompt],
    env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) },
    toolCall: { name: 'bash', arguments: { command, description: 'make it' } },
    result: ran,
  };
}

function qwen(format: 'openai' | 'anthropic'): Agent {
  const start = [process.execPath, join(installed, '@qwen-code/qwen-code/cli.js')];
  const family = format.toUpperCase();
  const off = { privacy: { usageStatisticsEnabled: false }, general: { disableAutoUpdate: true } };
  return {
    words: [...start, '--auth-type', format, '--yolo', '-p', prompt],
    env: {
      [`${family}_BASE_URL`]: format === 'openai' ? 'ROOT/v1' : 'ROOT',
      [`${family}_API_KEY`]: 'sk-svc-local',
      [`${family}_MODEL`]: 'local/script',
    },
    settings: ['.qwen/settings.json', off],
    toolCall: { name: 'run_shell_command', arguments: { command, is_background: false } },
    result: ran,
  };
}

const patch = '*** Begin Patch\n*** Add File: made.txt\n+made-42\n*** End Patch';
const code = `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }))`;

const Turn = z.object({
  code: z.nullable(z.number()),
  stdout: z.string(),
  stderr: z.string(),
  requests: z.array(z.object({ path: z.string(), status: z.number(), body: z.unknown() })),
});

async function turn({ words, env, settings, toolCall }: Agent) {
  const home = testFolder();
  const inHome = (name: string) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    return join(home, name);
  };
  if (settings) writeFileSync(inHome(settings[0]), JSON.stringify(settings[1]));
  const rules = [
    { match: { last: 'tool' }, reply: 'It is all done.' },
    { match: { contains: prompt }, toolCall },
  ];
  writeFileSync(inHome('rules.json'), JSON.stringify({ rules }));
  const folders = { CONFIG: 'config', DATA: 'data', STATE: 'state', CACHE: 'cache' };
  for (const name of [...Object.values(folders), 'work', 'codex', 'tmp']) mkdirSync(inHome(name));
  const own = {
    ...Object.fromEntries(Object.entries(folders).map(([n, at]) => [`XDG_${n}_HOME`, inHome(at)])),
    ...{ HOME: home, TMPDIR: inHome('tmp'), CODEX_HOME: inHome('codex'), TERM: 'dumb' },
    ...{ PATH: process.env['PATH'], SVC_API_KEY: 'sk-svc-local' },
  };
  const serve = ['--quiet', 'serve', '--port', '0', '--memory', '--script', inHome('rules.json')];
  const given = {
    serve: [...(await program()), ...serve],
    program: words,
    env: { ...own, ...env },
    ...{ cwd: inHome('work'), timeoutMs },
  };
  const argv = [...(alone ?? []), process.execPath, script, JSON.stringify(given)];
  const [first = '', ...more] = argv;
  const child = spawn(first, more, {
    env: { ...bundleEnv, ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // All have ended.
    }
  });
  return { ...Turn.parse(JSON.parse(await text(child.stdout))), work: inHome('work') };
}

it.each<[string, Agent]>([
  ['codex', codex('local/script', 'exec_command', { cmd: command })],
  [
    'codex with a model of its catalog, by a custom tool',
    codex('gpt-5.5', 'apply_patch', { input: patch }, 'made.txt'),
  ],
  [
    'codex with a model whose tools are in an input item',
    codex('gpt-5.6-luna', 'exec', { input: code }),
  ],
  ['opencode in the chat format', opencode('@ai-sdk/openai-compatible')],
  ['opencode in the responses format', opencode('@ai-sdk/openai')],
  ['opencode in the messages format', opencode('@ai-sdk/anthropic')],
  ['qwen-code in the chat format', qwen('openai')],
  ['qwen-code in the messages format', qwen('anthropic')],
])(
  '%s runs a tool, sends back its result and prints the answer',
  async (_, agent) => {
    const { code, stdout, stderr, requests, work } = await turn(agent);
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(join(work, 'made.txt'), 'utf8')).toBe('made-42\n');
    expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 200));
    const [first, ...later] = requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain(prompt);
    expect(later.join('\n')).toContain(agent.result);
    expect(stdout).toContain('It is all done.');
  },
  timeoutMs + 60_000,
);
