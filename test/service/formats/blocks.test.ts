import { expect, it } from 'vitest';
import { openService, post } from '../helpers.js';
import { scripted } from '../script.js';

it('a message may hold the role tool in all three formats, as section 2.2 has it', async () => {
  const { service } = scripted([{ match: { last: 'tool' }, reply: 'understood' }]);
  const message = { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'r' }] };
  const result = { type: 'tool_result', tool_use_id: 'c', content: 'r' };
  for (const messages of [[message], [{ role: 'tool', content: [result] }]]) {
    const body = { model: 'script', max_tokens: 50, messages };
    const reply = await post(service, '/v1/messages', body);
    expect(await reply.text()).toContain('understood');
    const counted = await post(service, '/v1/messages/count_tokens', body);
    expect(await counted.json()).toEqual({ input_tokens: 1 });
  }
  const reply = await post(service, '/v1/responses', { model: 'script', input: [message] });
  expect(await reply.text()).toContain('understood');
});

const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
const conversation = (content: unknown, role = 'user') =>
  [
    ['/v1/chat/completions', { messages: [{ role, tool_call_id: 'c', content }] }],
    ['/v1/messages', { max_tokens: 500, messages: [{ role, content }] }],
    ['/v1/responses', { input: [{ role, content }] }],
  ] as const;

it.each([
  ['image_url', { type: 'image_url', image_url: { url: pixel } }],
  ['input_image', { type: 'input_image', image_url: pixel }],
  [
    'image',
    {
      type: 'image',
      source: { type: 'base64', media_type: 'image/gif', data: pixel.split(',')[1] },
    },
  ],
])(
  'a message has its image answered about in all three formats, as a block %s',
  async (_, block) => {
    for (const model of ['local/guide', 'local/echo']) {
      for (const role of ['user', 'tool']) {
        for (const [where, body] of conversation([block], role)) {
          const reply = await post(openService(), where, { model, ...body });
          expect(await reply.text(), `${where} ${model} ${role}`).toContain('1 × 1 pixels');
        }
      }
    }
  },
);

it('a message may hold an image or a text of another form in all three formats', async () => {
  const source = { type: 'file', file_id: 'f' };
  const image = { type: 'image', source };
  for (const block of [image, { type: 'input_image', file_id: 'f' }, { type: 'new', text: 'a' }]) {
    for (const [where, body] of conversation([block])) {
      const reply = await post(openService(), where, { model: 'local/echo', ...body });
      const seen = 'text' in block ? '"a"' : 'does not read';
      expect(await reply.text(), where).toContain(seen);
    }
  }
});

it.each(['document', 'input_file', 'input_audio', 'video_url', ''])(
  'a message is answered in all three formats when it holds a block of the type "%s"',
  async (type) => {
    for (const [where, body] of conversation([{ type: 'text', text: 'hi' }, { type }])) {
      const reply = await post(openService(), where, { model: 'local/echo', ...body });
      expect([where, reply.status]).toEqual([where, 200]);
      const text = await reply.text();
      expect(text).toContain('Received a block of the type');
      expect(text).toContain('hi');
    }
  },
);
