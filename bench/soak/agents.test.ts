/**
 * Real agent programs finish a turn with a tool call against `svc serve`, where the machine allows
 * it in a network of their own that reaches nothing else. `.ci/run` installs the programs.
 */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { bundle } from '../../test/helpers/bundle.js';
import { program } from '../../test/bin/package.js';
import {
  codexWords,
  inOwnNetwork,
  makeHome,
  opencodeVariables,
  prompt,
  qwenSettings,
  skipWithout,
  starts,
  timeoutMs,
} from './agents.js';

let script = '';
beforeAll(async () => {
  script = await bundle('bench/soak/agent-process.ts');
});
afterAll(() => rmSync(dirname(script), { recursive: true }));

beforeEach(skipWithout('codex', 'opencode', 'qwen'));

interface Agent {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files in its home. */
  readonly settings?: Readonly<Record<string, object>>;
  /** The tool that runs a command or writes a file, and its arguments. */
  readonly toolCall: { readonly name: string; readonly arguments: object };
  /** What only the tool could have answered. */
  readonly result: string;
}

const command = 'echo made-$((40 + 2)) | tee made.txt';
const ran = 'made-42';

function codex(model: string, name: string, given: object, result = ran): Agent {
  const words = codexWords(model, []);
  return { words, toolCall: { name, arguments: given }, result };
}

function opencode(npm: string): Agent {
  return {
    words: [...starts.opencode, 'run', prompt],
    env: opencodeVariables(npm),
    toolCall: { name: 'bash', arguments: { command, description: 'make it' } },
    result: ran,
  };
}

function qwen(format: 'openai' | 'anthropic'): Agent {
  const family = format.toUpperCase();
  return {
    words: [...starts.qwen, '--auth-type', format, '--yolo', '-p', prompt],
    env: {
      [`${family}_BASE_URL`]: format === 'openai' ? 'ROOT/v1' : 'ROOT',
      [`${family}_API_KEY`]: 'sk-svc-local',
      [`${family}_MODEL`]: 'local/script',
    },
    settings: { '.qwen/settings.json': qwenSettings },
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
  const rules = [
    { match: { last: 'tool' }, reply: 'It is all done.' },
    { match: { contains: prompt }, toolCall },
  ];
  const { env: own, at } = makeHome({ ...settings, 'rules.json': { rules } });
  const serve = ['--quiet', 'serve', '--port', '0', '--memory', '--script', at('rules.json')];
  const given = {
    serve: [...(await program()), ...serve],
    program: words,
    env: { ...own, ...env },
    ...{ cwd: at('work'), timeoutMs },
  };
  return { ...Turn.parse(await inOwnNetwork(script, given, own)), work: at('work') };
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
