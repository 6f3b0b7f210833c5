/**
 * `svc run` points real agent programs at its proxy, whatever their own settings say: they finish a
 * turn with a tool call, and are stopped by the ceiling with its sentence.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { bundle } from '../../test/helpers/bundle.js';
import { program } from '../../test/bin/package.js';
import { sumRub } from '../../src/lib/amounts.js';
import {
  codexFlags,
  commandOf,
  inOwnNetwork,
  makeHome,
  opencodeEnv,
  opencodeSettings,
  prompt,
  qwenSettings,
  skipWithout,
  timeoutMs,
  type AgentName,
} from './agents.js';

let script = '';
beforeAll(async () => {
  script = await bundle('bench/soak/run-agents-process.ts');
});
afterAll(() => rmSync(dirname(script), { recursive: true }));

interface Agent {
  readonly words: readonly string[];
  /** Of the user, as a file in the home: they name another service, where nobody listens. */
  readonly settings: readonly [path: string, contents: object | string];
  /** Of the user too. */
  readonly env?: Readonly<Record<string, string>>;
  /** The tool that runs a command, which is its `argument`. */
  readonly tool: { readonly name: string; readonly argument: string; readonly more?: object };
}

const elsewhere = 'http://127.0.0.1:9/v1';
const codex: Agent = {
  words: [commandOf('codex'), 'exec', ...codexFlags, prompt],
  settings: [
    'codex/config.toml',
    `model = "other"\nmodel_provider = "other"\n[model_providers.other]\nname = "other"\nbase_url = "${elsewhere}"\nwire_api = "responses"\n`,
  ],
  tool: { name: 'exec_command', argument: 'cmd' },
};
const opencode: Agent = {
  words: [commandOf('opencode'), 'run', prompt],
  settings: [
    'config/opencode/opencode.json',
    {
      ...opencodeSettings,
      model: 'other/x',
      provider: {
        other: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: elsewhere, apiKey: 'k' },
          models: { x: {} },
        },
      },
    },
  ],
  env: opencodeEnv,
  tool: { name: 'bash', argument: 'command', more: { description: 'make it' } },
};
const qwen: Agent = {
  words: [commandOf('qwen'), '--yolo', '-p', prompt],
  settings: [
    '.qwen/settings.json',
    {
      ...qwenSettings,
      model: { name: 'other' },
      security: { auth: { selectedType: 'qwen-oauth', baseUrl: elsewhere } },
    },
  ],
  env: { HTTPS_PROXY: elsewhere, http_proxy: elsewhere },
  tool: { name: 'run_shell_command', argument: 'command', more: { is_background: false } },
};

const claude: Agent = {
  words: [commandOf('claude'), '-p', '--allowedTools', 'Bash', '--', prompt],
  settings: [
    '.claude/settings.json',
    { env: { ANTHROPIC_BASE_URL: elsewhere, ANTHROPIC_MODEL: 'x', CLAUDE_CODE_USE_BEDROCK: '1' } },
  ],
  env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ANTHROPIC_API_KEY: 'other' },
  tool: { name: 'Bash', argument: 'command', more: { description: 'make it' } },
};
const copilot: Agent = {
  words: [commandOf('copilot'), '--allow-all-tools', '--allow-all-paths', '-p', prompt],
  settings: ['.copilot/notes.txt', elsewhere],
  env: {
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: elsewhere,
    COPILOT_PROVIDER_TYPE: 'azure',
    COPILOT_PROVIDER_API_KEY_COMMAND: 'echo other',
  },
  tool: { name: 'bash', argument: 'command', more: { description: 'make it' } },
};

const key = 'sk-svc-local';
/** Keeps what the program has in its environment, for its tools and of its process. */
const command = `echo made-$((40 + 2)) | tee -a made.txt; (env; tr '\\0' '\\n' < /proc/$PPID/environ) > env.txt`;

const Ends = z.array(
  z.object({ code: z.nullable(z.number()), stdout: z.string(), stderr: z.string() }),
);
const Report = z.looseObject({
  requests: z.number(),
  refused: z.number(),
  cost: z.object({ priceRub: z.number() }),
  models: z.array(z.object({ model: z.string() })),
});
const Balance = z.looseObject({ balance_rub: z.number() });

/** @param goesOn whether the model calls the tool again and again */
async function runAgent(
  { words, settings: [path, contents], env = {}, tool }: Agent,
  maxCostRub: number,
  { goesOn = false, isLocal = false } = {},
) {
  const toolCall = { name: tool.name, arguments: { [tool.argument]: command, ...tool.more } };
  const last = { match: { last: 'tool' }, reply: 'It is all done.' };
  const rules = [...(goesOn ? [] : [last]), { toolCall }];
  const { env: own, at } = makeHome({ [path]: contents, 'rules.json': { rules } });
  const [bin, ...start] = await program();
  const svc = isLocal ? [bin, ...start, '--local'] : [bin, ...start];
  const options = [
    '--max-cost',
    String(maxCostRub),
    '-m',
    'local/script',
    '--report',
    at('report.json'),
  ];
  const balance = [...svc, 'balance', '--json'];
  const given = {
    serve: [bin, ...start, ...['--quiet', 'serve', '--port', '0', '--memory']].concat(
      ...['--script', at('rules.json')],
    ),
    commands: [
      balance,
      [...svc, 'run', ...options, '--', ...words],
      balance,
      [...svc, 'logs', 'list', '--sum', '--json'],
    ],
    env: { ...own, ...env, SVC_LOCAL_SCRIPT: at('rules.json') },
    ...{ cwd: at('work'), timeoutMs },
  };
  const ends = Ends.parse(await inOwnNetwork(script, given, own));
  const [first, ran, second, logs] = ends;
  if (!first || !ran || !second || !logs) throw new Error(JSON.stringify(ends));
  const balanceOf = ({ stdout }: typeof first) => Balance.parse(JSON.parse(stdout)).balance_rub;
  if (!existsSync(at('work/made.txt'))) throw new Error(ran.stderr);
  const made = readFileSync(at('work/made.txt'), 'utf8');
  const seen = readFileSync(at('work/env.txt'), 'utf8');
  // The programs rewrite their settings in a form of their own, but svc is not among them.
  const after = readFileSync(at(path), 'utf8');
  expect(after).toContain(elsewhere);
  expect(after).not.toContain('svc');
  rmSync(at('work/env.txt'));
  expect(filesWith(/sk-run-[\da-f]{32}/, at('.'))).toEqual([]);
  expect(seen).toMatch(/^OPENAI_API_KEY=sk-run-[\da-f]{32}$/m);
  expect(seen).not.toContain(key);
  const report = Report.parse(JSON.parse(readFileSync(at('report.json'), 'utf8')));
  expect(report.models.map(({ model }) => model)).toEqual(['local/script']);
  expect(sumRub([balanceOf(first), -balanceOf(second)])).toBe(report.cost.priceRub);
  return { ...ran, made, report, logs: logs.stdout };
}

/** The names of files in a folder whose contents match. */
function filesWith(pattern: RegExp, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return lstatSync(path).isFile() && pattern.test(readFileSync(path, 'latin1'));
  });
}

/** The requests of a turn with one tool call; qwen goes on by itself. */
const agents: [AgentName, Agent, { least: number; maxCostRub: number }][] = [
  ['codex', codex, { least: 2, maxCostRub: 3 }],
  ['opencode', opencode, { least: 3, maxCostRub: 12 }],
  ['qwen', qwen, { least: 2, maxCostRub: 12 }],
  ['claude', claude, { least: 2, maxCostRub: 12 }],
  ['copilot', copilot, { least: 2, maxCostRub: 12 }],
];

describe.each(agents)('%s', (name, agent, { least, maxCostRub }) => {
  beforeEach(skipWithout(name));

  it(
    'runs a tool and prints the answer, asking svc alone, whose account is charged what svc says',
    async () => {
      const { code, stdout, stderr, made, report, logs } = await runAgent(agent, 100);
      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('It is all done.');
      expect(made).toBe('made-42\n');
      expect(report.requests).toBeGreaterThanOrEqual(least);
      expect(report.refused).toBe(0);
      expect(logs).toContain(String(report.cost.priceRub));
    },
    timeoutMs + 60_000,
  );

  it(
    'that goes on and on is stopped by the ceiling, and shows its sentence once',
    async () => {
      const { code, stdout, stderr, report } = await runAgent(agent, maxCostRub, { goesOn: true });
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(/--max-cost/);
      expect(report.refused).toBe(1);
      expect(report.requests - report.refused).toBeGreaterThanOrEqual(least);
      expect(report.cost.priceRub).toBeLessThanOrEqual(maxCostRub);
    },
    timeoutMs + 60_000,
  );
});

it(
  'codex runs a tool with no account and no network, for play money',
  async (test) => {
    skipWithout('codex')(test);
    const { code, stdout, report } = await runAgent(codex, 100, { isLocal: true });
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'It is all done.' });
    expect(report.requests).toBe(2);
    expect(report.cost.priceRub).toBeGreaterThan(0);
  },
  timeoutMs + 60_000,
);
