import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf } from '../../../src/lib/json.js';
import { npyHeader, npyRow } from '../../../src/lib/table-files.js';
import { vectorToBase64 } from '../../../src/lib/vectors.js';
import { testFolder } from '../../helpers/folder.js';
import { scene, vectorOf } from './scene.js';
import { jsonOf } from '../../helpers/run.js';

const embed = 'embed -m vendor/embed';

describe('svc embed', () => {
  it('gives a pipe a vector a line, in the order of the texts', async () => {
    const { svc, posted } = await scene();
    expect(await svc(`${embed} one "three words here"`)).toMatchObject({
      stdout: '[3,111,0.5]\n[16,116,0.5]\n',
      stderr: '',
      code: 0,
    });
    expect(posted()).toEqual([{ model: 'vendor/embed', input: ['one', 'three words here'] }]);
  });

  it('shows people the beginning of each vector, and the cost', async () => {
    const { svc } = await scene(() => ({
      json: { data: [{ embedding: [0.125, -1, 2, 3, 4, 5] }], usage: { total_tokens: 3 } },
    }));
    const { stdout, stderr } = await svc(`${embed} one`, { tty: true });
    expect(stdout).toBe('TEXT  NUMBERS  VECTOR\none         6  0.1250 -1.0000 2.0000 3.0000 …\n');
    expect(stderr).toBe('1 vector of 6 numbers · 3 tokens · balance 12.50 RUB\n');
  });

  it('passes the reply on as JSON, with the cost', async () => {
    const { svc } = await scene();
    const { stdout, stderr, code } = await svc(`${embed} --json one`);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [3, 111, 0.5] }],
      model: 'vendor/embed',
      usage: { prompt_tokens: 2, total_tokens: 2 },
      cost: { priceRub: 0.25, balanceRub: 12.5 },
      ids: { generationId: 'gen_1' },
    });
  });

  it('takes all of a file, or of a pipe, as one text', async () => {
    const { svc, posted } = await scene();
    const file = join(testFolder(), 'a.txt');
    writeFileSync(file, 'two\nlines\n');
    await svc([...embed.split(' '), '-f', file], { stdin: 'not read' });
    await svc(embed, { stdin: 'piped\r\n' });
    await svc(`${embed} -f -`, { stdin: '\ufeffpiped too' });
    expect(posted().map(({ input }) => input)).toEqual([['two\nlines'], ['piped'], ['piped too']]);
  });

  it('decodes base64 to numbers, unless it is wanted raw', async () => {
    const { svc, posted } = await scene();
    expect((await svc(`${embed} --encoding base64 one`)).stdout).toBe('[3,111,0.5]\n');
    const raw = await svc(`${embed} --encoding base64 --raw one`);
    expect(raw.stdout).toBe(`"${vectorToBase64(vectorOf('one'))}"\n`);
    expect(posted().map((body) => body['encoding_format'])).toEqual(['base64', 'base64']);
  });

  it('writes a table for NumPy', async () => {
    const { svc } = await scene();
    const path = join(testFolder(), 'a.npy');
    const { stdout, stderr, code } = await svc([...embed.split(' '), '-o', path, 'one', 'three']);
    expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: '', code: 0 });
    expect(readFileSync(path)).toEqual(
      Buffer.concat([
        npyHeader({ rows: 2, columns: 3 }),
        npyRow(vectorOf('one')),
        npyRow(vectorOf('three')),
      ]),
    );
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('writes lines of JSON, and reports the path to a program', async () => {
    const { svc } = await scene();
    const path = join(testFolder(), 'a.jsonl');
    const { stdout, code } = await svc([...embed.split(' '), '--json', '-o', path, 'one']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      files: [{ path }],
      vectors: 1,
      dimensions: 3,
      usage: { inputTokens: 2 },
      cost: { priceRub: 0.25, balanceRub: 12.5 },
      ids: { generationId: 'gen_1' },
    });
    expect(readFileSync(path, 'utf8')).toBe('[3,111,0.5]\n');
  });

  it('refuses an empty pipe, and one that is not text', async () => {
    const { svc, requests } = await scene();
    expect(await svc(embed)).toMatchObject({
      code: 2,
      stderr:
        'error: the text is empty, and an empty text has no vector\nhint: svc embed "a text"\n',
    });
    expect(await svc(embed, { stdin: Buffer.from([0xff, 0xfe]) })).toMatchObject({
      code: 2,
      stderr: 'error: the input is not UTF-8 text\n',
    });
    expect(await svc(embed, { tty: { stdin: true } })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: no text given\nhint: /),
    });
    expect(requests).toEqual([]);
  });

  it.each([
    ['vendor/embd', 'no model is called "vendor/embd"; did you mean vendor/embed?'],
    ['something/else-entirely', 'no model is called "something/else-entirely"'],
  ])('refuses the unknown model %s and names the nearest', async (model, sentence) => {
    const { svc, posted } = await scene();
    const { stdout, stderr, code } = await svc(`embed -m ${model} x`);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toMatch(/^error: [^\n]+\nhint: [^\n]+\n$/);
    expect(stderr).toContain(`error: ${sentence}\n`);
    expect(posted()).toEqual([]);
  });

  it.each(['vendor/embed', 'embed', 'embed:economy', 'vendor/chat', 'vendor/new:fast'])(
    'accepts the model %s, and requests the list only once',
    async (model) => {
      const { svc, requests } = await scene();
      expect((await svc(`embed -m ${model} x`)).code).toBe(0);
      expect((await svc(`embed -m ${model} x`)).code).toBe(0);
      expect(requests.filter(({ url }) => url === '/v1/pricing')).toHaveLength(1);
    },
  );

  it.each([
    [
      'fewer vectors than texts',
      { data: [{ embedding: [1] }] },
      'a wrong number of vectors: 1, not 2',
    ],
    [
      'vectors of different lengths',
      { data: [{ embedding: [1] }, { embedding: [1, 2] }] },
      'vectors of different lengths',
    ],
    [
      'one number twice',
      { data: [1, 1].map((index) => ({ index, embedding: [1] })) },
      'vectors whose numbers do not match the texts',
    ],
    [
      'a vector without a number beside one that has it',
      { data: [{ index: 1, embedding: [1] }, { embedding: [2] }] },
      'vectors whose numbers do not match the texts',
    ],
  ])('does not accept %s as an answer', async (_, reply, what) => {
    const { svc } = await scene(() => ({ json: reply }));
    const { stdout, stderr, code } = await svc(`${embed} a b`);
    expect({ stdout, code }).toEqual({ stdout: '', code: 10 });
    expect(stderr).toContain(`error: the service answered with ${what}\nhint: `);
  });
});

/** A service for which a text is the angle that it says. */
const angles = () =>
  scene((_number, body) => {
    const data = listOf(body['input']).map((text, index) => {
      const angle = (Number(text) * Math.PI) / 180;
      return { index, embedding: [Math.cos(angle), Math.sin(angle)] };
    });
    return { json: { data } };
  });

const similar = ['embed', '-m', 'vendor/embed', '--similar', '30'];
const stdin = '0\n40\n\n90\n29\n210\n';

it('svc embed --similar ranks the lines by cosine, the nearest first', async () => {
  const { svc, posted } = await angles();
  expect(await svc([...similar, '-n', '3'], { stdin })).toMatchObject({
    stdout: '0.9998\t5\t29\n0.9848\t2\t40\n0.8660\t1\t0\n',
    stderr: '',
    code: 0,
  });
  expect(posted().map(({ input }) => input)).toEqual([['30'], ['0', '40', '90', '29', '210']]);
  expect(posted()[0]?.['encoding_format']).toBe('base64');
});

it('svc embed --similar gives programs everything', async () => {
  const { svc } = await angles();
  expect(await jsonOf(svc([...similar, '--json', '--limit', '1'], { stdin }))).toEqual({
    query: '30',
    compared: 5,
    results: [{ similarity: expect.closeTo(Math.cos(Math.PI / 180), 6), line: 5, text: '29' }],
    cost: { balanceRub: 12.5 },
  });
});

it('svc embed --similar reads a file, in batches, and takes texts as arguments', async () => {
  const { svc, posted } = await angles();
  const file = join(testFolder(), 'lines.txt');
  writeFileSync(file, stdin);
  const { stdout } = await svc([...similar, '-f', file, '-n', '1', '--batch', '2']);
  expect(stdout).toBe('0.9998\t5\t29\n');
  expect(posted()).toHaveLength(4);
  expect((await svc([...similar, '-n', '1', '90', '31'])).stdout).toBe('0.9998\t2\t31\n');
});
