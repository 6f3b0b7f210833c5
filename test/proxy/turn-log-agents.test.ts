/** What real programs have sent, scrubbed: a question, and the same with a call and its result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { isRecord, listOf, recordOf } from '../../src/lib/json.js';
import { run } from '../helpers/run.js';
import { request, says, scene } from './turn-log-scene.js';
import type { Piece } from '../../src/api/chat/pieces.js';

const Sample = z.object({
  agent: z.string(),
  path: z.string(),
  body: z.record(z.string(), z.unknown()),
});
const samples = readFileSync(join(import.meta.dirname, 'samples/agents.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Sample.parse(JSON.parse(line)));
const agents = [...new Set(samples.map(({ agent }) => agent))];

const formats = { '/v1/chat/completions': 'chat', '/v1/messages': 'messages' } as const;
const formatOf = (path: string) =>
  path === '/v1/chat/completions' || path === '/v1/messages' ? formats[path] : 'responses';

/** The call as the service has answered it: what the program sends back of it. */
function callIn(body: Readonly<Record<string, unknown>>): Piece[] {
  const items = [...listOf(body['messages']), ...listOf(body['input'])].filter(isRecord);
  const blocks = items.flatMap(({ content, tool_calls: calls }) => [
    ...listOf(content),
    ...listOf(calls),
  ]);
  const calls = [...items, ...blocks.filter(isRecord)];
  const call = calls.find(({ type }) =>
    /^(custom_tool_call|function_call|tool_use|function)$/.test(String(type)),
  );
  const {
    type,
    id,
    call_id: callId = id,
    name,
    arguments: json,
  } = { ...call, ...recordOf(call?.['function']) };
  const item: Piece = { type: 'item', index: 0, item: call ?? {} };
  const given = typeof json === 'string' ? json : JSON.stringify(call?.['input']);
  const piece: Piece = {
    type: 'tool_call',
    index: 0,
    id: String(callId),
    name: String(name),
    arguments: given,
  };
  return type === 'custom_tool_call' ? [item] : [item, piece];
}

it.each(agents)('the turns of %s follow one another, and can be continued', async (agent) => {
  const { home, log, turnLog } = scene();
  const own = samples.filter((sample) => sample.agent === agent);
  const last = own.at(-1);
  for (const { path, body } of own) {
    const isLast = body === last?.body;
    turnLog.onEnd(
      request(formatOf(path), body, isLast ? says('It is all done.') : callIn(last?.body ?? {})),
    );
  }
  await turnLog.finish();
  const [end, start] = log.turns({});
  expect([end?.parent, start?.parent, end?.conversation]).toEqual([
    start?.id,
    null,
    start?.conversation,
  ]);
  expect([start?.question, end?.question]).toEqual([
    expect.stringContaining('please make it'),
    '(results of tools: 1)',
  ]);
  const name = `c${end?.conversation}`;
  const shown = (await run(`logs show ${name}`, { home })).stdout;
  expect(shown).toContain('made');
  expect(shown).toContain('"type":"tool_call"');
  expect(shown).toContain('"type":"tool_result"');
  for (const format of ['chat', 'messages', 'responses']) {
    const line = `--local chat --conversation ${name} -m local/echo --format ${format} --dry-run`;
    const { stdout, stderr } = await run(`${line} thanks`, { home });
    expect(stderr).not.toContain('error');
    expect(stdout.split('It is all done.')).toHaveLength(2);
    expect(stdout.split('please make it')).toHaveLength(2);
    const answered = await run(
      `--local chat --conversation ${name} -m local/echo --format ${format} thanks`,
      { home },
    );
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining('thanks') });
  }
  const exported = await run(`logs export ${name} --format json`, { home });
  expect(exported.code).toBe(0);
  for (const line of [
    'export --all',
    `branch ${start?.id}`,
    `show ${start?.id} --curl`,
    '--json',
    'conversations',
  ])
    expect((await run(`logs ${line}`, { home })).code, line).toBe(0);
});

it.each(agents)('a conversation of %s that ended at a call is continued', async (agent) => {
  const { home, log, turnLog } = scene();
  const own = samples.filter((sample) => sample.agent === agent);
  for (const { path, body } of own.slice(0, -1)) {
    turnLog.onEnd(request(formatOf(path), body, callIn(own.at(-1)?.body ?? {})));
  }
  await turnLog.finish();
  const name = `c${log.turns({}, 1)[0]?.conversation}`;
  for (const format of ['chat', 'messages', 'responses']) {
    const line = `--local chat --conversation ${name} -m local/echo --format ${format}`;
    const { stdout } = await run(`${line} --dry-run thanks`, { home });
    expect(stdout.split('The tool was not run.')).toHaveLength(2);
    const isCustom = agent.includes('codex with') && format === 'responses';
    expect(stdout.includes('custom_tool_call_output')).toBe(isCustom);
  }
  expect(
    (await run(`--local chat --conversation ${name} -m local/echo thanks`, { home })).code,
  ).toBe(0);
});
