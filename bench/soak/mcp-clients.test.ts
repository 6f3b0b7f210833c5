/**
 * Real clients of MCP call tools of `svc mcp` against `svc serve`, where the machine allows it in a network of
 * their own that reaches nothing else: the results reach the model, and the account is charged what they say.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { sumRub } from '../../src/lib/amounts.js';
import { bundle } from '../../test/helpers/bundle.js';
import { program } from '../../test/bin/package.js';
import {
  codexWords,
  inOwnNetwork,
  installed,
  makeHome,
  offlineCodex,
  opencodeVariables,
  prompt,
  skipWithout,
  starts,
  timeoutMs,
  type AgentName,
} from './agents.js';

let script = '';
beforeAll(async () => {
  script = await bundle('bench/soak/agent-process.ts');
});
afterAll(() => rmSync(dirname(script), { recursive: true }));

/** @param server the command of svc mcp, which takes its key and the address of the service from `env` */
type Client = (
  server: readonly string[],
  env: object,
) => {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** @param approval what codex does with tools that are not only read: unless approved, `exec` refuses them */
function codex(approval: string, model = 'local/script'): Client {
  return ([command, ...args], env) => {
    const values = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    const words = `command=${JSON.stringify(command)},args=${JSON.stringify(args)}`;
    const server = `mcp_servers.svc={${words},env={${values.join()}}${approval}}`;
    return { words: codexWords(model, [server], offlineCodex) };
  };
}
const approved = ',default_tools_approval_mode="approve"';

const opencode: Client = (command, environment) => ({
  words: [...starts.opencode, 'run', prompt],
  env: opencodeVariables('@ai-sdk/openai-compatible', {
    mcp: { svc: { type: 'local', command, environment } },
  }),
});

const aiSdk: Client = (server, env) => ({
  words: [
    process.execPath,
    join(import.meta.dirname, 'ai-sdk.mjs'),
    ...[join(installed, '@ai-sdk/mcp'), 'local/script', prompt, ...server],
  ],
  env: { ...env, OPENAI_BASE_URL: 'ROOT/v1', OPENAI_API_KEY: 'sk-svc-local' },
});

const Turn = z.object({
  code: z.nullable(z.number()),
  stdout: z.string(),
  stderr: z.string(),
  requests: z.array(z.object({ path: z.string(), status: z.number(), body: z.unknown() })),
  balance: z.looseObject({ balance_rub: z.number() }),
  usage: z.looseObject({
    data: z.array(z.looseObject({ model: z.string(), priceRub: z.number() })),
  }),
});

/** The turn of a model that calls the tools one after another, each with what came of the call before. */
async function turn(
  client: Client,
  calls: readonly (readonly [name: string, given: object])[],
  flags: readonly string[] = [],
) {
  const rules = [
    ...calls.map(([name, given], at) => ({
      ...(at === 0 ? { match: { contains: prompt, last: 'user' } } : { times: 1 }),
      toolCall: { name, arguments: given },
    })),
    { reply: 'It is all done.' },
  ];
  const { env, at } = makeHome({ 'rules.json': { rules } });
  const svc = await program();
  const serve = ['--quiet', 'serve', '--port', '0', '--memory', '--job-time', '0ms'];
  const key = { SVC_API_KEY: 'sk-svc-local', SVC_BASE_URL: 'SERVICE', HOME: at('.') };
  const { words, env: own } = client([...svc, 'mcp', ...flags], key);
  const given = {
    serve: [...svc, ...serve, '--script', at('rules.json')],
    ...{ program: words, env: { ...env, ...own }, cwd: at('work'), timeoutMs },
  };
  const report = Turn.parse(await inOwnNetwork(script, given, env));
  const { code, stderr, requests, balance, usage } = report;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(requests.map(({ status }) => status)).toEqual(requests.map(() => 200));
  expect(report.stdout).toContain('It is all done.');
  const prices = usage.data.map(({ priceRub }) => priceRub);
  expect(sumRub([balance.balance_rub, ...prices])).toBe(1000);
  const paid = usage.data.filter(({ model }) => model !== 'local/script');
  // A result is a text in the request, so its quotes are escaped.
  const seen = JSON.stringify(requests.findLast(({ body }) => hasResults(body))?.body);
  return { seen, paid: paid.map(({ model, priceRub }) => `${model} ${priceRub}`) };
}

const hasResults = (body: unknown) => /_output"|"role":"tool"/.test(JSON.stringify(body));

const tools = ['balance', 'image_create', 'jobs_list'] as const;
const given = [{}, { prompt: 'a lighthouse' }, {}] as const;
const named = (prefix = '') => tools.map((name, at) => [prefix + name, given[at] ?? {}] as const);
const search = ['tool_search', { query: 'balance image_create jobs_list' }] as const;

it.for<[string, AgentName | '@ai-sdk/mcp', Client, ReturnType<typeof named>]>([
  ['codex', 'codex', codex(approved), named()],
  [
    'codex with a model of its catalog, which searches for the tools',
    'codex',
    codex(approved, 'gpt-5.5'),
    [search, ...named()],
  ],
  ['opencode', 'opencode', opencode, named('svc_')],
  ['the AI SDK', '@ai-sdk/mcp', aiSdk, named()],
])(
  '%s calls three tools of svc mcp, whose results reach the model at the prices of the account',
  { timeout: timeoutMs + 60_000 },
  async ([, name, client, calls], test) => {
    skipWithout(name)(test);
    const { seen, paid } = await turn(client, calls);
    expect(seen).toMatch(/\\"balance_rub\\":99\d/);
    expect(seen).toMatch(/\\"cost\\":\{[^}]*\\"priceRub\\":2.4\b/);
    expect(seen).toMatch(/\\"kind\\":\\"image\\",\\"model\\":\\"local\/canvas\\"/);
    expect(paid).toEqual(['local/canvas 2.4']);
  },
);

it(
  'codex exec without an approval refuses the tool that pays and runs those that read',
  async (test) => {
    skipWithout('codex')(test);
    const { seen, paid } = await turn(codex(''), named());
    expect(seen).toMatch(/\\"balance_rub\\":99\d/);
    expect(seen).toContain('MCP tool call requires approval');
    expect(paid).toEqual([]);
  },
  timeoutMs + 60_000,
);

it(
  'codex exec, which cannot ask a user, declines a price above --ask-above, and nothing is spent',
  async (test) => {
    skipWithout('codex')(test);
    const { seen, paid } = await turn(codex(approved), named(), ['--ask-above', '1']);
    expect(seen).toContain('not_confirmed');
    expect(paid).toEqual([]);
  },
  timeoutMs + 60_000,
);
