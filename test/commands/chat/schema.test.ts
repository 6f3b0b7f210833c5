import { expect, test } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
import { jsonOf, run, type RunOptions } from '../../helpers/run.js';
import { bodiesOf, fileOf, requestOf } from './scene.js';

/** What is sent as the schema. */
async function sent(...words: readonly string[]) {
  const { body } = await requestOf([...words, 'hi']);
  return recordOf(recordOf(body['response_format'])['json_schema'])['schema'];
}

const closed = { type: 'object', additionalProperties: false };

test('the short form names fields, with types and descriptions', async () => {
  const properties = {
    name: { type: 'string' },
    age: { type: 'integer', description: 'in years' },
    tags: { type: 'array', items: { type: 'string' } },
  };
  const schema = { ...closed, properties, required: ['name', 'age', 'tags'] };
  expect(await sent('--schema', 'name, age int: in years, tags str[]')).toEqual(schema);
  expect(await sent('--schema', '{"type": "object"}')).toEqual({ type: 'object' });
  const described = { sum: { type: 'number', description: 'a, b: both' }, ok: { type: 'boolean' } };
  expect(await sent('--schema', '\n sum float: a, b: both\n\n ok bool\n')).toEqual({
    ...{ ...closed, properties: described, required: ['sum', 'ok'] },
  });
  const items = { type: 'array', items: { ...closed, properties: { a: { type: 'string' } } } };
  expect(await sent('--schema-multi', 'a')).toMatchObject({ ...closed, properties: { items } });
});

test('the definitions of a schema stay where references look for them', async () => {
  const schema = { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } };
  expect(await sent('--schema-multi', JSON.stringify(schema))).toMatchObject({
    $defs: schema.$defs,
    properties: { items: { type: 'array', items: { $ref: '#/$defs/a' } } },
  });
});

test.each([
  ['name, age number', '--schema: "age number" is not a field'],
  ['a,,b', '--schema: "" is not a field'],
  ['a, b int, a: again', '--schema: two fields have the name a'],
  ['none.json', '--schema: there is no file none.json'],
  ['{"$ref": "#/$defs/none"}', "--schema: the schema is not valid: it cannot be compiled: can't"],
  [
    '{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "x.json"}}',
    "--schema: the schema is not valid: it cannot be compiled: can't resolve reference x.json",
  ],
  ['{"type": 5}', '--schema: the schema is not valid: type must be equal to one of the'],
  ['{"a"', '--schema: the schema is not JSON'],
])('--schema %s is refused', async (schema, sentence) => {
  const { stderr } = await run(['--local', 'chat', '--schema', schema, 'hi']);
  expect(stderr).toContain(`error: ${sentence}`);
});

test('a schema of another draft, or with unknown words, is sent', async () => {
  const old = { $schema: 'http://json-schema.org/draft-04/schema#', exclusiveMinimum: true };
  expect(await sent('--schema', JSON.stringify(old))).toEqual(old);
  const words = ['--schema', JSON.stringify(old), '--ask-again'];
  const { code, bodies, stderr } = await answered(['3'], words);
  expect({ code, count: bodies.length }).toEqual({ code: 12, count: 1 });
  expect(stderr).toContain(
    'error: the answer was not checked: its schema: it cannot be compiled: ',
  );
  const odd = { type: 'string', format: 'colour', 'x-more': 1 };
  expect(await sent('--schema', JSON.stringify(odd))).toEqual(odd);
});

/** A service that gives these answers, one after the other. */
async function answered(texts: readonly string[], words: readonly string[], how: RunOptions = {}) {
  const left = [...texts];
  const service = await fakeService((request, response) => {
    const { url, method } = request;
    if (url === '/v1/generations/g1') json({ priceRub: 0.5 })(request, response);
    else if (method !== 'POST') json({ balance_rub: 9 })(request, response);
    else {
      const head = { 'x-svc-generation-id': 'g1' };
      const text = left.shift();
      if (text === undefined) json({ error: { message: 'down' } }, 503)(request, response);
      else if (url === '/v1/responses') {
        const content = [{ type: 'output_text', text }];
        const output = [{ type: 'message', role: 'assistant', content }];
        json({ object: 'response', status: 'completed', output })(request, response);
      } else events(chunks(text) + chunksEnd, head)(request, response);
    }
  });
  const line = ['chat', '-m', 'm', '-s', 'Be brief', ...words, 'who?'];
  const result = await run(line, { ...how, env: service.env });
  return { ...result, bodies: bodiesOf(service.requests) };
}

const schema = ['--schema', 'age int'];
const [good, bad] = ['{"age": 3}', '{"age": "x", "b": 1}'];
const faults = 'the answer must NOT have additional properties: b, age must be integer';

test('an answer that does not fit is printed as it is, and ends with 12', async () => {
  const fits = { code: 0, stdout: `${good}\n`, stderr: '' };
  expect(await answered([good], schema)).toMatchObject(fits);
  const misfit = await answered([bad], schema);
  expect(misfit).toMatchObject({ code: 12, stdout: `${bad}\n` });
  expect(misfit.stderr).toBe(
    `error: the answer does not fit the schema: ${faults}\nhint: --ask-again asks the model once more\n`,
  );
  const prose = await answered(['Three.'], [...schema, '--json']);
  expect(prose.code).toBe(12);
  expect(JSON.parse(prose.stdout)).toMatchObject({ text: 'Three.', complete: true });
  const { error } = recordOf(JSON.parse(prose.stderr));
  expect(error).toMatchObject({ exit: 12, code: 'schema_mismatch' });
});

test('an answer whose check times out is printed, and incomplete', async () => {
  const evil = { type: 'string', pattern: '^(a+)+$' };
  const long = `"${'a'.repeat(40)}!"`;
  const words = ['--schema', JSON.stringify(evil), '--ask-again', '--json'];
  const { code, stdout, stderr } = await answered([long], words);
  expect(code).toBe(12);
  expect(JSON.parse(stdout)).toMatchObject({ text: long });
  const message = 'the answer was not checked: the check timed out';
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'answer_unchecked', message } });
});

test.each(['chat', 'responses'])('--ask-again asks once more in the format %s', async (format) => {
  const file = fileOf([{ role: 'user', content: 'Ann' }]);
  const words = [...schema, '--ask-again', '--history', file, '--format', format];
  const { bodies, stdout } = await answered([bad, good], words);
  const before = [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'Ann' },
    { role: 'user', content: 'who?' },
  ];
  const wish = `This does not fit the JSON Schema: ${faults}. Answer with the corrected JSON only.`;
  const repair = [
    // The responses format gets its own item back.
    format === 'chat'
      ? { role: 'assistant', content: bad }
      : { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: bad }] },
    { role: 'user', content: wish },
  ];
  expect(stdout).toBe(`${good}\n`);
  const said = bodies.map((body) => body['messages'] ?? body['input']);
  expect(said).toEqual([before, [...before, ...repair]]);
});

test('--ask-again shows only the last answer, and the price of both', async () => {
  const fits = await answered([good], [...schema, '--ask-again']);
  expect(fits).toMatchObject({ code: 0, stdout: `${good}\n`, stderr: '' });
  expect(fits.bodies).toHaveLength(1);
  const note = `The answer does not fit the schema: ${faults}. Asking once more.\n`;
  const mended = await answered([bad, good], [...schema, '--ask-again']);
  expect(mended).toMatchObject({ code: 0, stdout: `${good}\n`, stderr: note });
  expect(await jsonOf(answered([bad, good], [...schema, '--ask-again', '--json']))).toMatchObject({
    ...{ text: good, repaired: true, cost: { priceRub: 1 } },
  });
  const still = await answered([bad, 'no'], [...schema, '--ask-again']);
  expect(still).toMatchObject({ code: 12, stdout: 'no\n' });
  expect(still.stderr).toBe(`${note}error: the answer does not fit the schema: it is not JSON\n`);
});

test('a first answer is not lost when the second question fails', async () => {
  const result = await answered([bad], [...schema, '--ask-again']);
  expect(result).toMatchObject({ stdout: '' });
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain(`${bad}\n`);
});
