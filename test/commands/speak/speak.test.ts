import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import type { Rule } from '../../helpers/front.js';
import { gate } from '../../helpers/gate.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { read, recording, talker } from './talker.js';
import { jsonOf } from '../../helpers/run.js';

const model = '-m vendor/voice';

it('svc speak writes what was said to the file, and its path to stdout', async () => {
  const at = await talker();
  const path = at.path('a.mp3');
  const result = await at.svc(`speak ${model} --voice alto --speed 1.5 hello there -o ${path}`);
  expect(result).toMatchObject({ code: 0, stdout: `${path}\n` });
  expect(read(path)).toEqual(recording('hello there'));
  expect(at.posted()).toEqual([
    {
      model: 'vendor/voice',
      input: 'hello there',
      voice: 'alto',
      speed: 1.5,
      response_format: 'mp3',
    },
  ]);
  expect(at.files()).toEqual(['a.mp3']);
  expect(result.stderr).toContain('contains audio/wav, whose usual extension is .wav');
});

it.each([
  ['a.wav', 'wav'],
  ['a.OGG', 'opus'],
  ['a.flac', 'flac'],
  ['a.txt', undefined],
])('svc speak -o %s asks for the format that the name promises', async (name, format) => {
  const at = await talker();
  expect((await at.svc(`speak ${model} hi -o ${at.path(name)}`)).code).toBe(0);
  expect(at.posted()[0]?.['response_format']).toBe(format);
});

it('svc speak names the file itself, by its content, and never replaces one', async () => {
  const at = await talker();
  const names: string[] = [];
  for (const words of ['hi', 'hi', 'ho']) {
    const { stdout } = await at.svc(`speak ${model} ${words} -o ${at.folder}/`);
    names.push(stdout.trim());
  }
  const [first = '', second, third] = names;
  expect(first).toMatch(/\/vendor-voice-[0-9a-f]{8}\.wav$/);
  expect(second).toBe(first.replace('.wav', '-2.wav'));
  expect(third).not.toBe(first);
  expect(at.files()).toHaveLength(3);
});

it('svc speak takes text from stdin, from a file, and words after either', async () => {
  const at = await talker();
  const file = at.path('text.txt');
  writeFileSync(file, 'from a file\n');
  const out = `-o ${at.folder}/`;
  const piped = { stdin: ' piped \n', tty: false };
  await at.svc(`speak ${model} ${out}`, piped);
  await at.svc(`speak ${model} ${out} - then words`, piped);
  await at.svc(`speak ${model} ${out} only words`, piped);
  await at.svc(`speak ${model} ${out} -f ${file} then words`, piped);
  await at.svc(`speak ${model} ${out} -f -`, piped);
  expect(at.posted().map(({ input }) => input)).toEqual([
    ' piped \n',
    ' piped \n\nthen words',
    'only words',
    'from a file\n\nthen words',
    ' piped \n',
  ]);
});

it('svc speak reports everything to programs', async () => {
  const at = await talker();
  const path = at.path('a.wav');
  expect(await jsonOf(at.svc(`speak ${model} hi -o ${path} --json`))).toEqual({
    files: [{ path, mediaType: 'audio/wav' }],
    model: 'vendor/voice',
    format: 'wav',
    characters: 2,
    pieces: 1,
    reused: 0,
    cost: { priceRub: 2, balanceRub: 90 },
    ids: { generationId: 'gen_1' },
  });
});

it('svc speak shows the request of a dry run, and writes nothing', async () => {
  const at = await talker();
  const long = 'word '.repeat(4000);
  const line = ['speak', '-m', 'vendor/voice', '--voice', 'Anna', long, '-o', at.path('a.wav')];
  const result = await at.svc([...line, '--dry-run']);
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(result.stdout).toContain('"voice": "Anna"');
  expect(at.requests).toEqual([]);
  expect(at.files()).toEqual([]);
});

it('svc speak writes no bytes to a terminal', async () => {
  const at = await talker();
  const result = await at.svc(`speak ${model} hi -o -`, { tty: true });
  expect(result).toMatchObject({ code: 2 });
  expect(result.stderr).toContain('-o - would write binary data to the terminal');
});

const sound = { 'content-type': 'audio/wav' };
it.each<[what: string, code: number, rule: Rule]>([
  ['too little money', 5, { answer: { status: 402, json: { error: { message: 'no' } } } }],
  ['JSON instead of audio', 10, { answer: { json: {} } }],
  [
    'a page that is called sound',
    10,
    { answer: { bytes: Buffer.from('<html>busy</html>'), headers: sound } },
  ],
  ['a line that drops', 10, { drop: 'request' }],
])(
  'an unusable answer %s ends with %i, is not asked for again, and leaves no file',
  async (...row) => {
    const [, code, rule] = row;
    const at = await talker();
    at.speech(rule);
    expect((await at.svc(`speak ${model} hi -o ${at.path('a.wav')}`)).code).toBe(code);
    expect(at.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(at.files()).toEqual([]);
  },
);

it('an unusable answer is aborted at once when the user interrupts', async () => {
  const at = await talker();
  const interrupt = new AbortController();
  async function* interrupted() {
    yield recording('hi');
    interrupt.abort(new Interrupted('SIGINT'));
    await gate().opened;
  }
  at.speech({ answer: { bytes: interrupted(), headers: sound } });
  const { signal } = interrupt;
  expect((await at.svc(`speak ${model} hi -o ${at.path('a.wav')}`, { signal })).code).toBe(130);
  expect(at.files()).not.toContain('a.wav');
});

const speakTo = (path: string, text = 'hi') => ['speak', '-m', 'v', '-o', path, '--', text];

it.runIf(canMount)('a full disk is reported before anything is requested', async () => {
  const at = await talker();
  const disk = smallDisk(8);
  writeFileSync(join(disk, 'all of it'), Buffer.alloc(8192));
  const path = join(disk, 'a.wav');
  const result = await at.svc(speakTo(path));
  expect(result.code).toBe(11);
  expect(result.stderr).toBe(`error: cannot write ${path}: the disk is full\n`);
  expect(at.requests).toEqual([]);
});

it('a folder that disappears meanwhile aborts the answer, which may have been charged', async () => {
  const at = await talker();
  const folder = at.path('out');
  mkdirSync(folder);
  const closed = gate();
  async function* endless() {
    rmSync(folder, { recursive: true });
    try {
      yield recording('hi');
      for (;;) yield setImmediate(Buffer.alloc(0));
    } finally {
      closed.open();
    }
  }
  at.speech({ answer: { bytes: endless(), headers: { 'content-type': 'audio/wav' } } });
  const result = await at.svc(speakTo(join(folder, 'a.wav')));
  expect(result.code).toBe(11);
  expect(result.stderr).toContain('it may have been charged: `svc usage list` shows it\n');
  // Nothing that is still open keeps the process alive.
  await closed.opened;
});
