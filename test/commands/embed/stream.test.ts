import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { batchesOf } from '../../../src/commands/embed/lines.js';
import { lineBlocks } from '../../../src/files/lines.js';
import { type JsonRecord, listOf } from '../../../src/lib/json.js';
import { npyHeader, npyRow } from '../../../src/lib/table-files.js';
import { vectorToBase64 } from '../../../src/lib/vectors.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { scene, vectorOf } from './scene.js';
import { fails, jsonOf } from '../../helpers/run.js';

const embed = ['embed', '-m', 'vendor/embed', '--lines'];
const texts = (count: number) => Array.from({ length: count }, (_, index) => `text ${index}`);
const lineOf = (text: string) => `${JSON.stringify(vectorOf(text))}\n`;
const linesOf = (all: readonly string[]) => all.map(lineOf).join('');

/** A file that holds these lines. */
function fileOf(all: readonly string[]): string {
  const path = join(testFolder(), 'lines.txt');
  writeFileSync(path, all.map((text) => `${text}\n`).join(''));
  return path;
}

const refusal = { status: 402, json: { error: { message: 'too little is left' } } };

it('svc embed --lines gives a vector for each line, in order, in batches', async () => {
  const { svc, posted } = await scene();
  const all = texts(10);
  const { stdout, stderr, code } = await svc([...embed, '--batch', '4'], {
    stdin: all.join('\n'),
  });
  expect({ stdout, stderr, code }).toEqual({ stdout: linesOf(all), stderr: '', code: 0 });
  const batches = posted().map(({ input }) => listOf(input));
  expect(batches.map(({ length }) => length).sort()).toEqual([2, 4, 4]);
  expect(batches.flat().sort()).toEqual(all);
});

it('svc embed --lines keeps the order when later answers come first, with four requests at once', async () => {
  const held: (() => void)[] = [];
  const { svc } = await scene(async () => {
    const { opened, open } = gate();
    held.push(open);
    if (held.length === 4) for (const answer of held.splice(0).reverse()) setImmediate(answer);
    await opened;
    return undefined;
  });
  const all = texts(8);
  const { stdout, code } = await svc([...embed, '--batch', '1', '-f', fileOf(all)]);
  expect({ stdout, code }).toEqual({ stdout: linesOf(all), code: 0 });
});

it('svc embed --lines adds up the cost of many calls from the usage records', async () => {
  const { svc, requests } = await scene();
  const { stderr } = await svc([...embed, '--batch', '1', '-f', fileOf(texts(30))], {
    tty: { stderr: true },
    env: { TERM: 'dumb' },
  });
  expect(stderr).toBe('30 vectors of 3 numbers · 60 tokens · 7.50 RUB · balance 12.50 RUB\n');
  expect(requests.filter(({ url }) => url.startsWith('/v1/generations'))).toHaveLength(1);
});

it('svc embed --lines reports to a program what it wrote', async () => {
  const { svc } = await scene();
  const path = join(testFolder(), 'a.jsonl');
  expect(await jsonOf(svc([...embed, '--json', '-o', path, '-f', fileOf(texts(2))]))).toEqual({
    files: [{ path }],
    vectors: 2,
    dimensions: 3,
    usage: { inputTokens: 4 },
    cost: { priceRub: 0.25, balanceRub: 12.5 },
  });
});

it.each([
  ['a\n\nb\n', [], 'line 2 is empty, and an empty text has no vector'],
  ['', [], 'the input has no lines'],
  ['a\n', ['--skip', '1'], 'the input has no lines after the first 1'],
])(
  'svc embed --lines refuses %j as a file before anything is sent',
  async (content, more, sentence) => {
    const { svc, posted } = await scene();
    const path = join(testFolder(), 'lines.txt');
    writeFileSync(path, content);
    const { stdout, stderr, code } = await svc([...embed, ...more, '-f', path]);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toMatch(new RegExp(`^error: ${sentence}\n(hint: [^\n]+\n)?$`));
    expect(posted()).toEqual([]);
  },
);

/** Refuses the call that holds this text. */
const refusing = (text: string) => (_number: number, body: JsonRecord) =>
  listOf(body['input']).includes(text) ? refusal : undefined;

it('svc embed --lines that breaks off says how many lines are done, and resumes after them', async () => {
  const { svc } = await scene(refusing('text 10'));
  const all = texts(40);
  const path = fileOf(all);
  const { stdout, stderr, code } = await svc([...embed, '--batch', '2', '-f', path]);
  expect({ stdout, code }).toEqual({ stdout: linesOf(all.slice(0, 10)), code: 12 });
  expect(stderr).toMatch(
    /^error: too little is left; 10 lines are done(; up to [246] more may have been charged)?\nhint: continue with --skip 10; top up in the web cabinet; to see what is left: `svc balance`\n$/,
  );
  const rest = await (await scene()).svc([...embed, '--skip', '10', '-f', path]);
  expect(stdout + rest.stdout).toBe(linesOf(all));
});

it.each(['a.npy', 'a.jsonl'])(
  'svc embed --lines that breaks off keeps what is in %s, and resumes there',
  async (name) => {
    const path = join(testFolder(), name);
    const all = texts(41);
    const line = [...embed, '--batch', '1', '-f', fileOf(all), '-o', path];
    const broken = await (await scene(refusing('text 20'))).svc(line);
    expect(broken).toMatchObject({ code: 12, stdout: '' });
    expect(broken.stderr).toContain('; 20 lines are done');
    expect(broken.stderr).toContain(
      `hint: the first 20 are in ${path}.part: run it again with --resume; `,
    );
    expect(existsSync(path)).toBe(false);

    const again = await scene();
    const forgot = await again.svc(line);
    expect(forgot).toMatchObject({ code: 11, stdout: '' });
    expect(forgot.stderr).toContain('continue it with --resume, or start over with --force');
    expect(again.posted()).toEqual([]);

    // A kill may leave half a row.
    const part = readFileSync(`${path}.part`);
    writeFileSync(`${path}.part`, part.subarray(0, -2));
    const { svc, posted } = await scene();
    expect(await svc([...line, '--resume'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(posted()).toHaveLength(41 - 20 + 1);
    const whole = join(testFolder(), name);
    await (await scene()).svc([...embed, '-f', fileOf(all), '-o', whole]);
    expect(readFileSync(path)).toEqual(readFileSync(whole));
  },
);

it('svc embed --lines that breaks off lets one svc at a time resume, and the other pays nothing', async () => {
  const path = join(testFolder(), 'a.jsonl');
  const all = texts(9);
  writeFileSync(`${path}.part`, linesOf(all.slice(0, 4)));
  const line = [...embed, '-f', fileOf(all), '-o', path, '--resume'];
  const asked = gate();
  const goOn = gate();
  const { svc, posted } = await scene(async () => {
    asked.open();
    await goOn.opened;
    return undefined;
  });
  const first = svc(line);
  await asked.opened;
  const { code, stderr } = await svc(line);
  expect(stderr).toContain(`error: another svc is writing ${path}.part\nhint: wait for it, or`);
  expect(code).toBe(11);
  goOn.open();
  expect(await first).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(readFileSync(path, 'utf8')).toBe(linesOf(all));
  expect(posted()).toHaveLength(1);
});

it.skipIf(!canMount)(
  'svc embed --lines that breaks off keeps what fits on a disk that is full',
  async () => {
    const path = join(smallDisk(12), 'a.npy');
    const { svc } = await scene();
    const { stdout, stderr, code } = await svc([...embed, '-f', fileOf(texts(1000)), '-o', path]);
    expect({ stdout, code }).toEqual({ stdout: '', code: 12 });
    expect(stderr).toMatch(/^error: cannot write [^\n]+: the disk is full; (\d+) lines are done/);
    const done = Number(/; (\d+) lines are done/.exec(stderr)?.[1]);
    expect(done).toBeGreaterThan(500);
    expect(readFileSync(`${path}.part`).subarray(128, 128 + done * 12)).toEqual(
      Buffer.concat(texts(done).map((text) => npyRow(vectorOf(text)))),
    );
  },
);

it.each([[], ['-o', 'a.jsonl'], ['-o', 'a.npy']])(
  'svc embed --lines that breaks off does not resume where vectors change their length %j',
  async (...more) => {
    const { svc } = await scene((_, body) =>
      listOf(body['input']).includes('text 3')
        ? { json: { data: [{ embedding: [1, 2] }] } }
        : undefined,
    );
    const where = more.map((word) => (word === '-o' ? word : join(testFolder(), word)));
    const line = [...embed, '--batch', '1', '-f', fileOf(texts(5)), ...where];
    const { stderr, code } = await svc(line);
    expect(code).toBe(12);
    expect(stderr).toMatch(
      /^error: the service answered with vectors of different lengths; 3 lines are done; up to \d more/,
    );
  },
);

it('svc embed --lines that breaks off says that lines in progress may have been charged', async () => {
  const interrupt = new AbortController();
  const { svc } = await scene((number) =>
    number > 2 ? gate().opened.then(() => undefined) : undefined,
  );
  const { stdout, stderr, code } = await svc([...embed, '--batch', '1'], {
    stdin: texts(20).join('\n'),
    signal: interrupt.signal,
    onStdout: (text) => {
      if (text === lineOf('text 1')) setImmediate(() => interrupt.abort(new Interrupted()));
    },
  });
  expect(stdout).toBe(linesOf(['text 0', 'text 1']));
  expect(stderr).toMatch(
    /^2 lines are done; up to [34] more may have been charged: continue with --skip 2\n$/,
  );
  expect(code).toBe(130);
});

describe('resume', () => {
  const embed = ['embed', '-m', 'vendor/embed', '--lines', '--resume'];

  it.each([
    ['a.npy', 'x'.repeat(500)],
    ['a.jsonl', 'no vector\n'],
    ['a.jsonl', '{"vector":[1]}\n'],
    ['a.jsonl', '[]\n'],
  ])('--resume does not continue a foreign file, such as %s', async (name, part) => {
    const path = join(testFolder(), name);
    writeFileSync(`${path}.part`, part);
    const { svc, posted } = await scene();
    expect(await svc([...embed, '-o', path], { stdin: 'a\n' })).toMatchObject(
      fails(11, `error: ${path}.part does not contain vectors written by svc\n`),
    );
    expect(readFileSync(`${path}.part`, 'utf8')).toBe(part);
    expect(posted()).toEqual([]);
  });

  it.each([
    ['a.npy', Buffer.concat([npyHeader({ rows: 0, columns: 2 }), npyRow([1, 2])])],
    ['a.jsonl', Buffer.from('[1,2]\n')],
    ['a.jsonl', Buffer.from(`"${vectorToBase64([1, 2])}"\n`)],
  ])('--resume does not mix vectors of two models in %s', async (name, part) => {
    const path = join(testFolder(), name);
    writeFileSync(`${path}.part`, part);
    const { svc } = await scene();
    const result = await svc([...embed, '-o', path], { stdin: 'a\nb\n' });
    expect(result.code).toBe(12);
    expect(result.stderr).toContain('contains vectors of 2 numbers; the new ones have 3');
    expect(readFileSync(`${path}.part`)).toEqual(part);
  });
});

describe('lines', () => {
  /** Ready at once, as a file is. */
  async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) {
      yield await Promise.resolve(bytes.subarray(at, at + size));
    }
  }

  async function linesOf(text: string | Buffer, size = 1000): Promise<string[]> {
    const lines: string[] = [];
    const tooLong = (line: number) => new Error(`line ${line} is too long`);
    const blocks = lineBlocks(cut(Buffer.from(text), size), 4_000_000, tooLong);
    for await (const block of blocks) lines.push(...block);
    return lines;
  }

  it.each([
    ['', []],
    ['one\ntwo', ['one', 'two']],
    ['one\r\ntwo\r\n', ['one', 'two']],
    ['я🌍\nэ\u2028ж\n', ['я🌍', 'э\u2028ж']],
    ['\ufeffone\n\ufefftwo\n', ['one', '\ufefftwo']],
    ['\ufeff', ['']],
  ])('the lines of %j are %j, however it is cut', async (text, lines) => {
    for (let size = 1; size <= Buffer.byteLength(text) + 1; size += 1) {
      expect(await linesOf(text, size)).toEqual(lines);
    }
  });

  it('of UTF-16, as PowerShell 5 writes it, are read too', async () => {
    const bytes = Buffer.from('\ufeffя🌍\r\nдва', 'utf16le');
    for (let size = 2; size <= bytes.length; size += 1) {
      expect(await linesOf(bytes, size)).toEqual(['я🌍', 'два']);
    }
  });

  it('a batch of long lines holds fewer', async () => {
    const bytes = Buffer.from(`${'a'.repeat(200_000)}\n`.repeat(3));
    const sizes: number[] = [];
    for await (const lines of batchesOf(cut(bytes, 1000), {
      size: 64,
      skip: 0,
      dropsEmpty: false,
    })) {
      sizes.push(lines.length);
    }
    expect(sizes).toEqual([2, 1]);
  });

  it('a line that is too long is named by its number', async () => {
    await expect(linesOf(`a\n${'b'.repeat(5_000_000)}`)).rejects.toThrow('line 2 is too long');
  });

  it('bytes that are not UTF-8 are named by their line, however they are cut', async () => {
    const bytes = Buffer.concat([
      Buffer.from('a\nb\n'),
      Buffer.from([0xff, 0x0a]),
      Buffer.from('c'),
    ]);
    for (let size = 1; size <= bytes.length; size += 1) {
      await expect(linesOf(bytes, size)).rejects.toThrow('line 3 is not UTF-8 text');
    }
  });
});
