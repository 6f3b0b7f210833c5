/** Real agent programs, and the network and home in which tests run them. `.ci/run` installs them. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { onTestFinished, type TestContext } from 'vitest';
import { bundleEnv } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';

export const installed = resolve(import.meta.dirname, '../../.cache/agents/node_modules');

export const starts = {
  codex: [process.execPath, join(installed, '@openai/codex/bin/codex.js')],
  opencode: [join(installed, '.bin/opencode')],
  qwen: [process.execPath, join(installed, '@qwen-code/qwen-code/cli.js')],
};

export type AgentName = keyof typeof starts | 'claude' | 'copilot';

/** By it a recipe knows the program. */
export const commandOf = (name: AgentName) => join(installed, '.bin', name);

/** Each starts in 1 to 10 s; another machine may be busy. */
export const timeoutMs = 240_000;

export const prompt = 'please make it';

/** So that they ask nobody but their model. */
export const offlineCodex = [
  '--skip-git-repo-check',
  ...['analytics.enabled=false', 'features.plugins=false', 'features.apps=false'].flatMap(
    (setting) => ['-c', setting],
  ),
];
export const codexFlags = [...offlineCodex, '--dangerously-bypass-approvals-and-sandbox'];
export const opencodeSettings = { autoupdate: false, share: 'disabled', permission: 'allow' };
export const opencodeEnv = Object.fromEntries(
  ['MODELS_FETCH', 'AUTOUPDATE', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'].map((name) => [
    `OPENCODE_DISABLE_${name}`,
    '1',
  ]),
);

/** What runs codex for one prompt with svc as its provider, behind the proxy at ROOT. */
export function codexWords(model: string, settings: readonly string[], flags = codexFlags) {
  const provider = 'name="svc",base_url="ROOT/v1",env_key="SVC_API_KEY",wire_api="responses"';
  const all = ['model_provider="svc"', `model_providers.svc={${provider}}`, ...settings];
  const words = all.flatMap((setting) => ['-c', setting]);
  return [...starts.codex, 'exec', ...flags, ...words, '-m', model, prompt];
}

/** The variables with which opencode asks svc by a package of the AI SDK, behind the proxy at ROOT. */
export function opencodeVariables(npm: string, settings: object = {}) {
  const options = { baseURL: 'ROOT/v1', apiKey: '{env:SVC_API_KEY}' };
  const models = { 'local/script': { limit: { context: 128_000, output: 4000 } } };
  const config = {
    ...{ model: 'svc/local/script', small_model: 'svc/local/script', enabled_providers: ['svc'] },
    ...opencodeSettings,
    provider: { svc: { npm, options, models } },
    ...settings,
  };
  return { ...opencodeEnv, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}
export const qwenSettings = {
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true },
};

/** Skips a test where a program or package is not installed; CI has them all. */
export const skipWithout =
  (...names: readonly (AgentName | '@ai-sdk/mcp' | '@modelcontextprotocol/client')[]) =>
  ({ skip }: Pick<TestContext, 'skip'>): void => {
    const missing = names.find((name) => {
      return ![join('.bin', name), name].some((path) => existsSync(join(installed, path)));
    });
    if (missing === undefined) return;
    const reason = `${missing} is not in ${installed}; .ci/run installs it`;
    if (process.env['CI']) throw new Error(reason);
    skip(reason);
  };

/** In the namespace, nothing outlives its first process. */
const namespace = ['-n', '-p', '-f', '--mount-proc', '--kill-child'];
const loopback = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const alone = [namespace, ['-r', ...namespace]]
  .map((flags) => ['unshare', ...flags, ...loopback])
  .find(([command = '', ...words]) => spawnSync(command, [...words, 'true']).status === 0);

/** A home in a folder of the test. */
export interface Home {
  readonly env: Readonly<Record<string, string>>;
  /** The path of a name in it, whose folder exists. */
  readonly at: (name: string) => string;
}

/** @param files its contents, by their paths in it */
export function makeHome(files: Readonly<Record<string, object | string>>): Home {
  const home = testFolder();
  const at = (name: string) => {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    return join(home, name);
  };
  const folders = { CONFIG: 'config', DATA: 'data', STATE: 'state', CACHE: 'cache' };
  for (const name of [...Object.values(folders), 'work', 'codex', 'tmp']) mkdirSync(at(name));
  for (const [name, contents] of Object.entries(files)) {
    writeFileSync(at(name), typeof contents === 'string' ? contents : JSON.stringify(contents));
  }
  const env = {
    ...Object.fromEntries(
      Object.entries(folders).map(([name, of]) => [`XDG_${name}_HOME`, at(of)]),
    ),
    ...{ HOME: home, TMPDIR: at('tmp'), CODEX_HOME: at('codex'), TERM: 'dumb' },
    ...{ PATH: process.env['PATH'] ?? '', SVC_API_KEY: 'sk-svc-local' },
  };
  return { env, at };
}

/**
 * Runs a bundled script, where the machine allows it in a network that reaches nothing else.
 * @returns what it has printed
 */
export async function inOwnNetwork(
  script: string,
  given: object,
  env: Home['env'],
): Promise<unknown> {
  const argv = [...(alone ?? []), process.execPath, script, JSON.stringify(given)];
  const [first = '', ...more] = argv;
  const child = spawn(first, more, {
    env: { ...bundleEnv, ...env },
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
  return JSON.parse(await text(child.stdout));
}
