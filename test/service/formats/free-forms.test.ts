/** What the specification leaves open is taken in any form (sections 2.3 to 2.5). */
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Service } from '../../../src/service/service.js';
import { namedEvents, openService, post } from '../helpers.js';
import { scripted } from '../script.js';

const chatPath = '/v1/chat/completions';
const [messagesPath, responsesPath] = ['/v1/messages', '/v1/responses'];
const said = { messages: [{ role: 'user', content: 'go' }], max_tokens: 500 };
const bodies = [
  [chatPath, said],
  [messagesPath, said],
  [responsesPath, { input: 'go' }],
] as const;

/** The reply, and its status. */
async function ask(service: Service, where: string, body: object) {
  const response = await post(service, where, { model: 'local/script', ...body });
  const reply: unknown = await response.json();
  return z
    .looseObject({ status: z.number() })
    .parse(Object.assign({}, reply, { status: response.status }));
}

const run = { type: 'object', properties: { cmd: { const: 'ls' } }, required: ['cmd'] };
const runTool = { name: 'run', parameters: run };
const shell = { type: 'namespace', name: 'shell', tools: [{ type: 'function', ...runTool }] };
const definitions = [
  { type: 'namespace', name: 'shell', description: '', tools: [{ name: 'other' }] },
  { type: 'web_search', external_web_access: false },
  { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
  { type: 'bash_20250124', name: 'bash' },
  { type: 'tool_search', execution: 'client', parameters: { type: 'object' } },
  { type: 'mcp', server_label: 'x', server_url: 'https://mcp.example' },
  { type: 'function' },
  { name: '' },
  {},
  'a word',
  null,
];

it.each(definitions.map((one) => [JSON.stringify(one), one] as const))(
  'a tool definition may be %s in all three formats',
  async (_, definition) => {
    const { service } = scripted([{ reply: 'understood' }]);
    for (const [where, body] of bodies) {
      const reply = await ask(service, where, { ...body, tools: [definition] });
      expect(JSON.stringify(reply), where).toContain('understood');
    }
  },
);

it.each<[string, object]>([
  ['a function of the chat format', { type: 'function', function: runTool }],
  ['a function of the responses format', { type: 'function', ...runTool }],
  ['a tool of the messages format', { type: 'custom', name: 'run', input_schema: run }],
  ['a function in a namespace', shell],
])(
  'a tool definition is called as %s in all three formats, by name, by choice and by a script',
  async (_, tool) => {
    const { service } = scripted([{ toolCall: { name: 'run' } }]);
    const asked = {
      messages: [{ role: 'user', content: 'please run' }],
      input: 'please run',
      max_tokens: 500,
    };
    for (const [where] of bodies) {
      for (const model of ['local/script', 'local/guide', 'local/echo']) {
        const body = { model, ...asked, tools: [{ type: 'web_search' }, tool] };
        for (const tool_choice of ['auto', 'required', { type: 'function', name: 'run' }]) {
          const reply = await ask(service, where, { ...body, tool_choice });
          expect(JSON.stringify(reply), `${where} ${model}`).toMatch(
            /"name":"run".*"cmd\\*":\\*"ls/,
          );
        }
      }
    }
  },
);

const patch = { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark' } };

const grouped = { type: 'namespace', name: 'files', tools: [patch] };
const rules = [
  { match: { last: 'tool' }, reply: 'done' },
  { toolCall: { name: 'patch', arguments: { input: 'a "b"\n' } } },
];
const call = {
  type: 'custom_tool_call',
  status: 'completed',
  name: 'patch',
  namespace: 'files',
  input: 'a "b"\n',
};

it('a custom tool is called with a text in the responses format, from an input item too, and its result is read', async () => {
  const { service } = scripted(rules);
  const holder = { type: 'additional_tools', role: 'developer', tools: [grouped] };
  const input = [holder, { role: 'user', content: 'go' }];
  const whole = await ask(service, responsesPath, { input });
  expect(whole['output']).toMatchObject([call]);
  const events = await namedEvents(service, responsesPath, {
    model: 'script',
    input: 'go',
    tools: [grouped],
  });
  const joined = events
    .filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    .map((event) => event['delta']);
  expect(joined.join('')).toBe(call.input);
  expect(events.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({
    input: call.input,
  });
  expect(events.at(-1)).toMatchObject({ response: { output: [call] } });
  const result = {
    type: 'custom_tool_call_output',
    call_id: 'c',
    output: [{ type: 'input_text', text: 'ok' }],
  };
  const turn = [...input, { ...call, call_id: 'c' }, result, { type: 'reasoning', summary: [] }];
  expect(JSON.stringify(await ask(service, responsesPath, { input: turn }))).toContain('done');
});

it('a custom tool is called with a text in the chat format', async () => {
  const { service } = scripted(rules);
  const tools = [{ type: 'custom', custom: { name: 'patch' } }];
  const expected = { type: 'custom', custom: { name: 'patch', input: call.input } };
  const whole = await ask(service, chatPath, { ...said, tools });
  expect(whole['choices']).toMatchObject([{ message: { tool_calls: [expected] } }]);
  const stream = await post(service, chatPath, { model: 'script', ...said, tools, stream: true });
  expect(await stream.text()).toContain('"custom":{"name":"patch","input":""}');
  const past = { role: 'assistant', tool_calls: [{ id: 'c', ...expected }] };
  const messages = [...said.messages, past, { role: 'tool', content: 'ok' }];
  expect(JSON.stringify(await ask(service, chatPath, { messages }))).toContain('done');
});

it('a custom tool takes an object in the messages format, whose calls have no other form', async () => {
  const { service } = scripted(rules);
  const reply = await ask(service, messagesPath, { ...said, tools: [patch] });
  expect(reply['content']).toMatchObject([{ type: 'tool_use', input: { input: call.input } }]);
});

it('a function in a namespace is called with the namespace beside its name, in a stream too', async () => {
  const { service } = scripted([{ toolCall: { name: 'run' } }]);
  const tools = [shell];
  const called = { type: 'function_call', name: 'run', namespace: 'shell' };
  const expected = { ...called, arguments: '{"cmd":"ls"}' };
  const whole = await ask(service, responsesPath, { input: 'go', tools });
  expect(whole['output']).toMatchObject([expected]);
  const events = await namedEvents(service, responsesPath, { model: 'script', input: 'go', tools });
  expect(events.at(-1)).toMatchObject({ response: { output: [expected] } });
});

it('a search for tools is called in an item of its own, and a tool that it found with its namespace', async () => {
  const search = { type: 'tool_search', execution: 'client', parameters: run };
  const { service } = scripted([
    { match: { last: 'user' }, toolCall: { name: 'tool_search' } },
    { toolCall: { name: 'run' } },
  ]);
  const asked = { model: 'script', input: 'go', tools: [search] };
  const events = await namedEvents(service, responsesPath, asked);
  expect(events.map(({ type }) => type).slice(2, -1)).toEqual([
    'response.output_item.added',
    'response.output_item.done',
  ]);
  const searched = { type: 'tool_search_call', execution: 'client', arguments: { cmd: 'ls' } };
  const expected = { ...searched, status: 'completed', call_id: expect.stringMatching(/^call_/) };
  expect(events.at(-1)).toMatchObject({ response: { output: [expected] } });
  const found = { type: 'tool_search_output', call_id: 'c', tools: [shell] };
  const later = await ask(service, responsesPath, { ...asked, input: ['go', searched, found] });
  expect(later['output']).toMatchObject([{ type: 'function_call', namespace: 'shell' }]);
});

it.each<[unknown]>([
  [{ type: 'web_search' }],
  [{ type: 'tool', name: 'web_search' }],
  [{ type: 'mcp', server_label: 'x', name: 'y' }],
  [{ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] }],
  [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } }],
  [{ type: 'something new' }],
  ['required'],
  [{}],
  [null],
])(
  'a tool choice %j beside a tool of another type is answered with text in all three formats',
  async (choice) => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    for (const [where, body] of bodies) {
      const asked = { model: 'local/echo', ...body, tools, tool_choice: choice };
      expect(JSON.stringify(await ask(openService(), where, asked)), where).toContain('"go"');
    }
  },
);

it('a tool choice that names none of the tools is refused', async () => {
  for (const [where, body] of bodies) {
    const asked = {
      model: 'local/echo',
      ...body,
      tools: [patch],
      tool_choice: { type: 'function', name: 'x' },
    };
    expect(await ask(openService(), where, asked)).toMatchObject({ status: 400 });
  }
});

it.each<[object]>([[{ type: 'grammar', definition: 'x' }], [{ type: 'text' }], [{}]])(
  'a response format %j is answered with text in the chat and the responses format',
  async (format) => {
    const asked = { model: 'local/echo', response_format: format, text: { format } };
    for (const [where, body] of [bodies[0], bodies[2]]) {
      expect(JSON.stringify(await ask(openService(), where, { ...asked, ...body }))).toContain(
        '"go"',
      );
    }
  },
);

it('the responses format takes a response_format, which section 2.5 names', async () => {
  const format = { type: 'json_schema', json_schema: { name: 'n', schema: run } };
  const asked = { model: 'local/echo', input: 'go', response_format: format };
  expect(JSON.stringify(await ask(openService(), responsesPath, asked))).toContain(
    '{\\"cmd\\":\\"ls\\"}',
  );
});

it.each<[unknown]>([
  [{ type: 'item_reference', id: 'x' }],
  [{ type: 'reasoning', id: 'r', summary: [], encrypted_content: 'x' }],
  [{ type: 'web_search_call', id: 'w', status: 'completed', action: {} }],
  [{ type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } }],
  [{ type: 'tool_search_output', call_id: 'c', tools: [{ type: 'function', name: 'late' }] }],
  [{ type: 'function_call', name: 'a', arguments: { x: 1 } }],
  [{ type: 'function_call_output', output: { any: 'value' } }],
  [{ type: 'compaction', encrypted_content: 'x' }],
  [{ role: 'critic', content: 'x' }],
  [{ role: 'user' }],
  [{}],
  ['a text'],
  [7],
])('an input item may be %j', async (item) => {
  const input = [item, { role: 'user', content: [{ type: 'input_text', text: 'go' }] }];
  const reply = await ask(openService(), responsesPath, { model: 'local/echo', input });
  expect(JSON.stringify(reply)).toContain('"go"');
});
