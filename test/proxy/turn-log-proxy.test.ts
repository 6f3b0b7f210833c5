/** Programs whose turns pass the proxy, over the embedded service. */
import { expect, it } from 'vitest';
import { listOf, recordOf, type JsonRecord } from '../../src/lib/json.js';
import { keys } from '../service/helpers.js';
import { startPeer } from '../service/sdk/peer.js';
import { run } from '../helpers/run.js';
import { clientFor, startProxy } from './rig.js';
import { scene } from './turn-log-scene.js';

const rules = [
  { match: { last: 'tool' }, reply: 'There is one file.' },
  { match: { contains: 'list' }, toolCall: { name: 'ls', arguments: { path: '.' } } },
];

interface Wire {
  readonly path: string;
  readonly body: (messages: readonly unknown[]) => object;
  /** What the program sends back of an answer, and the result of its call. */
  readonly more: (answer: JsonRecord) => readonly unknown[];
}

const question = { role: 'user', content: 'list the files' };
const wires: Readonly<Record<string, Wire>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (messages) => ({ messages, stream_options: { include_usage: true } }),
    more: (answer) => {
      const { message } = recordOf(listOf(answer['choices'])[0]);
      const { id } = recordOf(listOf(recordOf(message)['tool_calls'])[0]);
      return [message, { role: 'tool', tool_call_id: id, content: 'a.txt' }];
    },
  },
  messages: {
    path: '/messages',
    body: (messages) => ({ messages, max_tokens: 100 }),
    more: ({ content }) => {
      const { id } = recordOf(listOf(content).at(-1));
      const result = { type: 'tool_result', tool_use_id: id, content: 'a.txt' };
      return [
        { role: 'assistant', content },
        { role: 'user', content: [result] },
      ];
    },
  },
  responses: {
    path: '/v1/responses',
    body: (input) => ({ input }),
    more: ({ output }) => {
      const { call_id: id } = recordOf(listOf(output).at(-1));
      return [...listOf(output), { type: 'function_call_output', call_id: id, output: 'a.txt' }];
    },
  },
};

it.each(Object.keys(wires))('logs an agent in the %s format with its prices', async (format) => {
  const peer = await startPeer({ rules });
  const { home, log, turnLog, warnings } = scene();
  const client = await clientFor(peer.url, {}, keys.local);
  const proxied = await startProxy(client, { watchers: [turnLog] });
  const wire = wires[format];
  if (!wire) throw new Error('no such format');
  const asked = async (messages: readonly unknown[], stream: boolean) => {
    const body = JSON.stringify({ ...wire.body(messages), model: 'local/script', stream });
    const headers = { 'content-type': 'application/json' };
    return (await proxied.ask(wire.path, { method: 'POST', headers, body })).text();
  };
  const first = recordOf(JSON.parse(await asked([question], false)));
  const messages = [question, ...wire.more(first)];
  expect(await asked(messages, true)).toContain('one');
  await proxied.proxy.end(3000);
  await turnLog.finish();
  expect(warnings).toEqual([]);
  const turns = log.turns({});
  expect(turns).toMatchObject([
    { id: 2, parent: 1, conversation: 1, format, model: 'local/script', isComplete: 1 },
    { id: 1, parent: null, question: 'list the files', program: 'codex', isComplete: 1 },
  ]);
  for (const { inputTokens, outputTokens, priceRub } of turns) {
    expect(Math.min(inputTokens ?? 0, outputTokens ?? 0, priceRub ?? 0)).toBeGreaterThan(0);
  }
  expect(
    turns.map(({ priceRub }) => priceRub).reduce((one, other) => (one ?? 0) + (other ?? 0)),
  ).toBeCloseTo(proxied.proxy.totals.all.priceRub, 9);
  const { stdout } = await run('logs show c1', { home });
  expect(stdout.match(/"type":"tool_(call|result)"/g)).toHaveLength(2);
  expect(stdout).toContain('There is one file.\n\n*c1, turn 2 · codex');
  const line = `--local chat --conversation c1 -m local/echo --dry-run thanks`;
  const { body } = recordOf(JSON.parse((await run(line, { home })).stdout));
  expect(listOf(recordOf(body)['messages'] ?? recordOf(body)['input'])).toMatchObject([
    ...messages.slice(0, 1),
    ...Array<object>(messages.length).fill({}),
    { content: 'thanks' },
  ]);
});
