import { expect, test } from 'vitest';
import { chunk, done, readFrames, readText } from './streams.js';

interface Piece {
  index?: number | null;
  id?: string | null;
  name?: string | null;
  arguments?: unknown;
}

const onWire = ({ name, arguments: args, ...rest }: Piece) => ({
  ...rest,
  type: 'function',
  function: { name, arguments: args },
});

const noon = { name: 'time', arguments: '{"at":"noon"}' };
const omsk = { name: 'weather', arguments: '{"city":"Омск"}' };
const tomsk = { name: 'weather', arguments: '{"city":"Томск"}' };
const [begin, end] = ['{"city"', ':"Омск"}'];
const first = { id: 'a', name: 'weather', arguments: begin };
const here = { name: 'here', arguments: '' };
const both = [
  { id: 'a', ...omsk },
  { id: 'b', ...noon },
];

test.each<[how: string, chunks: Piece[][], calls: unknown]>([
  [
    'are told apart by their index, however their pieces mix',
    [
      [{ index: 0, id: 'a', name: 'weather', arguments: '' }],
      [{ index: 1, id: 'b', name: 'time', arguments: '{"at"' }],
      [
        { index: 0, arguments: begin },
        { index: 1, arguments: ':"noon"}' },
      ],
      [{ index: 0, arguments: end }],
    ],
    both,
  ],
  [
    'may repeat index, id and name on every piece',
    [begin, end].map((args) => [{ index: 0, id: 'a', name: 'weather', arguments: args }]),
    [{ id: 'a', ...omsk }],
  ],
  [
    'may have ids and no indices',
    [
      [first],
      [{ id: 'a', arguments: ':"Омск"' }],
      [{ arguments: '}' }],
      [{ id: 'b', ...noon }],
      [{ id: '', arguments: '' }],
    ],
    both,
  ],
  [
    'of one id are one call, also when another comes between',
    [[first], [{ id: 'b', ...noon }], [{ id: 'a', arguments: end }]],
    both,
  ],
  [
    'may have indices and no ids',
    [[{ index: 0, ...omsk }], [{ index: 1, ...tomsk }]],
    [omsk, tomsk],
  ],
  ['may have neither, whole in one chunk', [[noon, omsk, tomsk]], [noon, omsk, tomsk]],
  ['may have neither, whole in a chunk each', [[noon], [omsk], [tomsk]], [noon, omsk, tomsk]],
  [
    'may have null for what is missing',
    [[{ index: null, id: null, ...noon }, omsk], [tomsk]],
    [noon, omsk, tomsk],
  ],
  [
    'in one chunk are as many as it lists, also of one name and without arguments',
    [[{ name: 'here' }, { name: 'here' }]],
    [here, here],
  ],
  [
    'may have neither index nor id, and come in pieces',
    [
      [{ name: 'weather', arguments: begin }],
      [{ name: 'weather', arguments: ':"Омск"' }],
      [{ arguments: '}' }],
      [{ name: 'time', arguments: '' }],
      [{ arguments: '{"at":"noon"}' }],
    ],
    [omsk, noon],
  ],
  [
    'may have arguments that are an object, or null',
    [
      [
        { index: 0, id: 'a', name: 'weather', arguments: { city: 'Омск' } },
        { index: 1, id: 'c', name: 'here', arguments: null },
      ],
    ],
    [
      { id: 'a', ...omsk },
      { id: 'c', ...here },
    ],
  ],
])('tool calls %s', async (_, chunks, calls) => {
  const frames = chunks.map((pieces) => chunk({ tool_calls: pieces.map(onWire) }));
  const { answer, error } = await readFrames('chat', [...frames, chunk({}, 'stop'), done]);
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ toolCalls: calls, finishReason: 'stop' });
});

test('tool calls of a whole reply have no index, and need no id', async () => {
  const message = { content: null, tool_calls: [noon, omsk, tomsk].map(onWire) };
  const reply = { choices: [{ message, finish_reason: 'tool_calls' }] };
  const { answer } = await readText('chat', JSON.stringify(reply));
  expect(answer.toolCalls).toEqual([noon, omsk, tomsk]);
});
