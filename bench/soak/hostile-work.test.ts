/** Requests that are made to keep the service busy for ever, or to fill its memory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { serving } from './hostile-serving.js';

function repeat<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function asking(content: unknown, more: object = {}) {
  return { model: 'local/echo', messages: [{ role: 'user', content }], ...more };
}

function withSchema(schema: unknown, content = 'hello') {
  return asking(content, {
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
  });
}

function withImage(url: string) {
  return asking([{ type: 'image_url', image_url: { url } }]);
}

/** A schema of a few lines in which each part asks for the next one twice. */
function doubling(depth: number, leaf: object) {
  const next = (i: number) => ({ $ref: `#/$defs/d${i + 1}` });
  const steps = repeat(depth, (i) => [`d${i}`, { anyOf: [next(i), next(i)] }] as const);
  return {
    $ref: '#/$defs/d0',
    $defs: { ...Object.fromEntries(steps), [`d${depth}`]: leaf },
  };
}

const almostAll = 'a'.repeat(60) + '!';
const tool = (parameters: unknown) => ({ type: 'function', function: { name: 'act', parameters } });

type Case = [string, number, unknown];

const endlessWork: Case[] = [
  ['a word of dashes', 200, asking(`x${'-'.repeat(300_000)}x`)],
  ['blanks without a word', 200, asking(' '.repeat(5_000_000))],
  ['a letter with a million accents', 200, asking(`e${'\u0301'.repeat(1_000_000)}`)],
  ['emoji joined without end', 200, asking('👩\u200d'.repeat(300_000), { stream: true })],
  ['blanks in base64', 400, withImage(`data:image/png;base64,A${' '.repeat(300_000)}!`)],
  [
    'a hundred thousand stop sequences',
    400,
    asking('a'.repeat(500_000), { stop: repeat(100_000, (i) => `aaaaaaaab${i}`) }),
  ],
  ['an expression of a schema', 503, withSchema({ pattern: '^(a+)+$' }, JSON.stringify(almostAll))],
  [
    'an expression in the schema of a tool',
    503,
    asking('please act', {
      tools: [tool({ properties: { a: { pattern: '(x+x+)+y', default: 'x'.repeat(60) } } })],
    }),
  ],
  ['a schema that doubles with anyOf', 503, withSchema(doubling(40, { const: 1 }), '2')],
  ['a schema that refers to itself', 400, withSchema({ $ref: '#' })],
  [
    'a list in which all must differ',
    503,
    withSchema({ uniqueItems: true }, JSON.stringify(repeat(100_000, (i) => i))),
  ],
  [
    'a pointer that a schema wants',
    200,
    withSchema({ format: 'json-pointer' }, `"${'/'.repeat(60)}~"`),
  ],
  [
    'half a million messages that are none',
    400,
    { ...asking(''), messages: repeat(500_000, () => 7) },
  ],
];

const largeWork: Case[] = [
  ['thirty million brackets', 400, '['.repeat(16_000_000) + ']'.repeat(16_000_000)],
  ['a million objects in each other', 400, '{"a":'.repeat(1_000_000) + '1' + '}'.repeat(1_000_000)],
  [
    'a million digits',
    400,
    `{"model":"echo","max_tokens":${'9'.repeat(1_000_000)},"messages":[{"role":"user","content":"x"}]}`,
  ],
  [
    'strings that a schema wants long',
    400,
    withSchema({ type: 'array', minItems: 1000, items: { type: 'string', minLength: 100_000 } }),
  ],
  [
    'an expression that repeats repeats',
    503,
    withSchema({ type: 'string', pattern: '^((a{999}){999}){999}$' }),
  ],
  [
    'lists of lists of lists',
    400,
    withSchema(
      repeat(5, () => 0).reduce((items) => ({ type: 'array', minItems: 1000, items }), {}),
    ),
  ],
  ['an answer of thirty megabytes', 200, asking('é'.repeat(15_000_000))],
];

describe('endless work', () => {
  it.each(endlessWork)(
    'is refused or finished quickly: %s',
    { timeout: 30_000 },
    async (_, status, body) => {
      const service = await serving();
      const response = await service.post('/v1/chat/completions', body);
      await response.arrayBuffer();
      expect(response.status).toBe(status);
      expect((await service.get('/v1/balance')).status).toBe(200);
    },
  );

  it('is refused when an expression of a script makes it', { timeout: 30_000 }, async () => {
    const scriptPath = join(testFolder(), 'script.json');
    const rules = [
      { match: { text: 'hi' }, reply: 'ho' },
      { match: { regex: '^(a+)+$' }, reply: 'aah' },
    ];
    writeFileSync(scriptPath, JSON.stringify({ rules }));
    const service = await serving({ scriptPath });
    const ask = async (content: string): Promise<unknown> => {
      const body = asking(content, { model: 'local/script' });
      return (await service.post('/v1/chat/completions', body)).json();
    };
    expect(await ask('aaaa')).toMatchObject({ choices: [{ message: { content: 'aah' } }] });
    expect(await ask(almostAll)).toMatchObject({
      error: { code: 'script_too_slow', message: expect.stringContaining('rules[1]') },
    });
    expect(await ask('hi')).toMatchObject({ choices: [{ message: { content: 'ho' } }] });
  });
});

describe.skipIf(process.platform !== 'linux')('endless memory', () => {
  it.each(largeWork)('is not used by %s', { timeout: 30_000 }, async (_, status, body) => {
    const service = await serving();
    const before = service.peakMemoryMib();
    const response = await service.post('/v1/chat/completions', body);
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    expect(service.peakMemoryMib() - before).toBeLessThan(512);
    expect((await service.get('/v1/balance')).status).toBe(200);
  });
});
