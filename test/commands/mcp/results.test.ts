/** What a call returns: the same JSON as text and as data, links to files, and long results in a file. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { program } from '../../../src/cli/main.js';
import { commandsIn } from '../../../src/cli/map.js';
import { runCall } from '../../../src/commands/mcp/call.js';
import { chooseTools } from '../../../src/commands/mcp/tools.js';
import { resultOf } from '../../../src/commands/results.js';
import { listOf, recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { startMcp } from '../../helpers/mcp-client.js';

const reading = chooseTools(program, { readOnly: true });
/** The schemas of what their commands print. */
const results = new Map(
  commandsIn(program.entries).map(({ path, command }) => [path, resultOf(path, command)]),
);

/** A call of a command that prints this. */
async function called(
  printed: unknown,
  { folder = testFolder(), structuredAs = '', exit = 0, hasFiles = false, notes = '' } = {},
) {
  const context: Parameters<typeof runCall>[0] = Object.assign(Object.create(null), {
    program: {
      run: ({ stdout, stderr }: Record<'stdout' | 'stderr', NodeJS.WritableStream>) => {
        for (let times = 0; times < 3; times += 1) stderr.write(notes);
        stdout.write(printed === undefined ? '' : JSON.stringify(printed));
        return Promise.resolve(exit);
      },
    },
  });
  const { signal } = new AbortController();
  const { content, ...result } = await runCall(context, {
    ...{
      argv: [],
      flags: {},
      spending: undefined,
      onProgress: undefined,
      signal,
      folder,
      hasFiles,
    },
    ...{ structuredAs: structuredAs === '' ? undefined : structuredAs, lineForAgent: String },
  });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const links = content.filter((one) => one.type === 'resource_link');
  const texts = content.flatMap((one) => (one.type === 'text' ? one.text : []));
  return { text, texts, links, types: content.map(({ type }) => type), ...result };
}

test('the field of an outputSchema is in the JSON of its command for certain', () => {
  for (const { path, gives } of reading) {
    const { type, required = [] } = z.toJSONSchema(results.get(path) ?? z.unknown());
    expect([path, type === 'array' ? ['jobs'] : required]).toEqual([
      ...[path, gives === undefined ? [] : expect.arrayContaining([gives])],
    ]);
  }
});

test('each tool that reads returns one object as text and as data, which fits its schema', async () => {
  const { call, client } = await startMcp('--max-cost 50', { env: { SVC_LOCAL_JOB_TIME: '0ms' } });
  // With the schemas, the client of the SDK checks each result itself.
  const { tools } = await client.listTools();
  const empty = await client.callTool({ name: 'jobs_list', arguments: {} });
  expect(empty.structuredContent).toEqual({ jobs: [] });
  const { json } = await call('generate', { model: 'local/canvas', prompt: 'x', wait: false });
  const opened = await call('tickets_create', { subject: 'Subject', message: 'It does not work' });
  const usage = await client.callTool({ name: 'usage_list', arguments: {} });
  const [record] = listOf(recordOf(usage.structuredContent)['data']);
  const given: Readonly<Record<string, object>> = {
    jobs_show: { id: json['id'] },
    jobs_wait: { id: [json['id']] },
    models_show: { id: 'local/guide' },
    usage_show: { id: recordOf(record)['id'] },
    tickets_show: { id: recordOf(opened.json['ticket'])['id'] },
  };
  for (const { name, path } of reading) {
    const result = await client.callTool({ name, arguments: { ...given[name] } });
    const [text] = [result.content].flat().map(recordOf);
    expect([name, result.isError, result.structuredContent]).toEqual([
      ...[name, false, JSON.parse(String(text?.['text']))],
    ]);
    const { outputSchema } = tools.find((one) => one.name === name) ?? {};
    if (!outputSchema) throw new Error(`${name} has no outputSchema`);
    const fits = new Ajv2020().compile(outputSchema);
    fits(result.structuredContent);
    expect([name, fits.errors]).toEqual([name, null]);
    const { jobs, ...others } = recordOf(result.structuredContent);
    results.get(path)?.parse(jobs ?? others);
  }
});

test('whatever a service answers is an object, and an error never has data', async () => {
  for (const [printed, data] of [
    [[{ id: 'a', new: null }], { jobs: [{ id: 'a', new: null }] }],
    [
      { jobs: [], new: 1 },
      { jobs: [], new: 1 },
    ],
    [null, { jobs: null }],
    [undefined, {}],
  ]) {
    const { structuredContent, text } = await called(printed, { structuredAs: 'jobs' });
    expect([structuredContent, JSON.parse(text)]).toEqual([data, data]);
  }
  const failed = await called([1], { structuredAs: 'jobs', exit: 12 });
  expect(failed).toMatchObject({ text: '{"jobs":[1]}', isError: true });
  expect(failed).not.toHaveProperty('structuredContent');
  expect(await called([1])).not.toHaveProperty('structuredContent');
});

test('of what a command says on stderr, the first 8 kB are kept', async () => {
  const { texts } = await called({}, { exit: 1, notes: 'x'.repeat(5000) });
  expect(texts).toEqual(['{}', 'x'.repeat(8192)]);
});

test('a long result is a file that the text and the data name', async () => {
  const folder = testFolder();
  const data = Array.from({ length: 1000 }, (_, at) => ({
    id: `vendor/model-${at}`,
    priceRub: at,
  }));
  const { text, structuredContent } = await called({ data }, { folder, structuredAs: 'data' });
  const saved = recordOf(JSON.parse(text));
  expect(structuredContent).toEqual(saved);
  expect(JSON.parse(readFileSync(String(saved['savedTo']), 'utf8'))).toEqual({ data });
  expect((await called({ data: 'x'.repeat(39_980) })).text).toHaveLength(39_991);
});

test('a list is short where the call does not say how long', async () => {
  const { client } = await startMcp();
  const short = await client.callTool({ name: 'models_media', arguments: {} });
  const long = await client.callTool({ name: 'models_media', arguments: { limit: 1 } });
  const countOf = ({ structuredContent }: typeof short) =>
    listOf(recordOf(structuredContent)['models']).length;
  expect([countOf(long), countOf(short) > 1, countOf(short) <= 20]).toEqual([1, true, true]);
});

test('each file in the folder is linked, with every character as a URI has it', async () => {
  const folder = testFolder();
  const names = ['a b.png', '[1] кот 100%.png', 'empty.bin'];
  for (const name of names) writeFileSync(join(folder, name), name === 'empty.bin' ? '' : 'x');
  const outside = join(testFolder(), 'secret');
  const beside = relative(folder, outside);
  writeFileSync(outside, 'x');
  const paths = [...names, 'deleted', beside].map((name) => `${folder}/${name}`);
  const files = [...paths, outside].map((path) => ({ path, mediaType: 'image/png' }));
  const { links, types, text } = await called({ files }, { folder, hasFiles: true });
  expect(links.map(({ name, size, mimeType }) => [name, size, mimeType])).toEqual(
    names.map((name) => [name, name === 'empty.bin' ? 0 : 1, 'image/png']),
  );
  expect(links.map(({ uri }) => fileURLToPath(uri))).toEqual(names.map((one) => join(folder, one)));
  expect(links.map(({ uri }) => uri).join(' ')).toMatch(/^[\w:/.% -]+$/);
  expect(types).toEqual(['text', ...names.map(() => 'resource_link')]);
  expect(JSON.parse(text)).toEqual({ files });
  const many = Array.from({ length: 100 }, () => ({ files: [files[0]] }));
  expect((await called(many, { folder, hasFiles: true })).links).toHaveLength(100);
  expect((await called({ files }, { folder })).links).toEqual([]);
});
