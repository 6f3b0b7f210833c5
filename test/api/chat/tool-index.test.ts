import { describe, expect, test } from 'vitest';
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

/** The calls of an answer whose chunks bring these pieces. */
async function callsOf(...chunks: Piece[][]) {
  const frames = chunks.map((pieces) => chunk({ tool_calls: pieces.map(onWire) }));
  const { answer, error } = await readFrames('chat', [...frames, chunk({}, 'stop'), done]);
  expect(error).toBeUndefined();
  return answer.toolCalls;
}

const noon = { name: 'time', arguments: '{"at":"noon"}' };
const omsk = { name: 'weather', arguments: '{"city":"Омск"}' };
const tomsk = { name: 'weather', arguments: '{"city":"Томск"}' };

describe('tool calls', () => {
  test('are told apart by their index, however their pieces mix', async () => {
    expect(
      await callsOf(
        [{ index: 1, id: 'b', name: 'time', arguments: '' }],
        [{ index: 0, id: 'a', name: 'weather', arguments: '{"city"' }],
        [
          { index: 1, arguments: '{"at"' },
          { index: 0, arguments: ':"Омск"}' },
        ],
        [{ index: 1, arguments: ':"noon"}' }],
      ),
    ).toEqual([
      { id: 'b', ...noon },
      { id: 'a', ...omsk },
    ]);
  });

  test('may repeat index, id and name on every piece', async () => {
    const repeated = { index: 0, id: 'a', name: 'weather' };
    expect(
      await callsOf(
        [{ ...repeated, arguments: '{"city"' }],
        [{ ...repeated, arguments: ':"Омск"}' }],
      ),
    ).toEqual([{ id: 'a', ...omsk }]);
  });

  test('may have ids and no indices', async () => {
    expect(
      await callsOf(
        [{ id: 'a', name: 'weather', arguments: '{"city"' }],
        [{ id: 'a', arguments: ':"Омск"' }],
        [{ arguments: '}' }],
        [{ id: 'b', ...noon }],
        [{ id: '', arguments: '' }],
      ),
    ).toEqual([
      { id: 'a', ...omsk },
      { id: 'b', ...noon },
    ]);
  });

  test('of one id are one call, also when another comes between', async () => {
    expect(
      await callsOf(
        [{ id: 'a', name: 'weather', arguments: '{"city"' }],
        [{ id: 'b', ...noon }],
        [{ id: 'a', arguments: ':"Омск"}' }],
      ),
    ).toEqual([
      { id: 'a', ...omsk },
      { id: 'b', ...noon },
    ]);
  });

  test('may have indices and no ids', async () => {
    expect(await callsOf([{ index: 0, ...omsk }], [{ index: 1, ...tomsk }])).toEqual([omsk, tomsk]);
  });

  test.each([
    ['in one chunk', [[noon, omsk, tomsk]]],
    ['in a chunk each', [[noon], [omsk], [tomsk]]],
    ['with null for what is missing', [[{ index: null, id: null, ...noon }, omsk], [tomsk]]],
  ])('may have neither index nor id, whole %s', async (_, chunks) => {
    expect(await callsOf(...chunks)).toEqual([noon, omsk, tomsk]);
  });

  test('in one chunk are as many as it lists, also of one name and without arguments', async () => {
    expect(await callsOf([{ name: 'now' }, { name: 'now' }])).toEqual([
      { name: 'now', arguments: '' },
      { name: 'now', arguments: '' },
    ]);
  });

  test('may have neither index nor id, and come in pieces', async () => {
    expect(
      await callsOf(
        [{ name: 'weather', arguments: '{"city"' }],
        [{ name: 'weather', arguments: ':"Омск"' }],
        [{ arguments: '}' }],
        [{ name: 'time', arguments: '' }],
        [{ arguments: '{"at":"noon"}' }],
      ),
    ).toEqual([omsk, noon]);
  });

  test('may have arguments that are an object, or none', async () => {
    expect(
      await callsOf([
        { index: 0, id: 'a', name: 'weather', arguments: { city: 'Омск' } },
        { index: 1, id: 'b', name: 'now' },
        { index: 2, id: 'c', name: 'here', arguments: null },
      ]),
    ).toEqual([
      { id: 'a', ...omsk },
      { id: 'b', name: 'now', arguments: '' },
      { id: 'c', name: 'here', arguments: '' },
    ]);
  });

  test('of a whole reply have no index, and need no id', async () => {
    const message = { content: null, tool_calls: [noon, omsk, tomsk].map(onWire) };
    const reply = { choices: [{ message, finish_reason: 'tool_calls' }] };
    const { answer } = await readText('chat', JSON.stringify(reply));
    expect(answer.toolCalls).toEqual([noon, omsk, tomsk]);
  });

  test('may end with the reason stop', async () => {
    const { answer } = await readFrames('chat', [chunk({ tool_calls: [onWire(noon)] }, 'stop')]);
    expect(answer).toMatchObject({ toolCalls: [noon], finishReason: 'stop' });
  });
});
