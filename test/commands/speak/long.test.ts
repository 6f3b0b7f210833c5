import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { silence } from '../../helpers/front.js';
import { gate } from '../../helpers/gate.js';
import { fails } from '../../helpers/run.js';
import { canMount, smallDisk } from '../../helpers/small-disk.js';
import { asked, contentOf, cutAt, flac, letters, long, paragraph, speaking } from './book.js';
import { read, talker } from './talker.js';

const noMoney = { status: 402, json: { error: { message: 'too little money' } } };

describe('a text of more than 10,000 characters', () => {
  it('becomes one file that says all of it', async () => {
    const { at, path } = await speaking();
    let [atFirst, shown] = ['', ''];
    at.speech({ nth: 1, first: () => (atFirst = shown) });
    const result = await at.svc(['speak', '-m', 'vendor/voice', '-o', path, long], {
      onStderr: (text) => (shown += text),
    });
    expect(result).toMatchObject({ code: 0, stdout: `${path}\n` });
    // Before it is paid for.
    expect(atFirst).toContain('36,016 characters in 4 pieces');
    expect(at.posted().map(({ input }) => input)).toEqual(letters.map(paragraph));
    expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
    expect(at.files()).toEqual(['book.wav']);
  });

  it('asks for the next piece while this one is written', async () => {
    const { at, speak } = await speaking();
    const second = gate();
    // The first ends only when the second is asked for: otherwise this would never end.
    async function* first() {
      yield Buffer.from('RIFF');
      await second.opened;
      yield Buffer.from('....WAVE');
    }
    at.speech({ nth: 1, answer: { bytes: first(), headers: { 'content-type': 'audio/wav' } } });
    at.speech({ nth: 2, first: second.open });
    await speak();
    expect(asked(at)).toEqual(letters);
  });

  it.each([
    ['--no-split', 2, 'the text has 36,016 characters; one request accepts 10,000'],
    ['--max-chars=36015', 5, 'the text has 36,016 characters, more than --max-chars 36,015'],
  ])('with %s ends with %i, and nothing is sent', async (option, code, message) => {
    const { at, speak } = await speaking();
    expect(await speak(option)).toMatchObject(fails(code, message));
    expect(at.requests).toEqual([]);
    expect(at.files()).toEqual([]);
  });

  it.each([
    [10_000, 1],
    [10_001, 2],
  ])('begins with 10,001: %i characters are %i pieces', async (count, pieces) => {
    const at = await talker();
    await at.svc(['speak', '-m', 'vendor/voice', '-o', at.path('a.wav'), '😀'.repeat(count)]);
    expect(at.posted()).toHaveLength(pieces);
  });

  it('reports the price of all pieces to programs', async () => {
    const at = await talker();
    const text = paragraph('a') + paragraph('b');
    const result = await at.svc(['speak', '-m', 'v', '-o', at.path('a.wav'), '--json', text]);
    expect(JSON.parse(result.stdout)).toMatchObject({ pieces: 2, cost: { priceRub: 5 } });
  });

  it('reports blanks that would form a piece of their own, and does not pay for them', async () => {
    const at = await talker();
    const text = `Hello.${' '.repeat(20_000)}\n\nBye.`;
    const line = ['speak', '-m', 'v', '-o', at.path('a.wav')];
    const result = await at.svc([...line, '--max-chars', '10012', '--', text]);
    expect(result.code).toBe(0);
    expect(at.posted().map(({ input }) => input)).toEqual([
      text.slice(0, 10_000),
      text.slice(20_000),
    ]);
    expect(result.stderr).toBe(
      'left out 10,000 blanks: a piece would contain nothing else\n10,012 characters in 2 pieces\n',
    );
    const json = await at.svc([...line, '--force', '--json', '--', text]);
    expect(json.stderr).toBe('');
    expect(JSON.parse(json.stdout)).toMatchObject({ characters: 10_012, blanksLeftOut: 10_000 });
  });

  it('becomes numbered files where they cannot be joined, and says why', async () => {
    const { at, speak } = await speaking('book.flac');
    at.speech({ answer: flac });
    const result = await speak();
    expect(result.code).toBe(0);
    expect(at.files()).toEqual(letters.map((_, index) => `book-${String(index + 1)}.flac`));
    expect(read(at.path('book-3.flac')).toString()).toBe('fLaC3');
    expect(result.stdout.trim().split('\n')).toHaveLength(4);
    expect(result.stderr).toContain('4 files, because they cannot be joined: the format flac');
  });

  it('is refused before it is paid for when a numbered name is taken', async () => {
    const { at, speak } = await speaking('book.flac');
    writeFileSync(at.path('book-3.flac'), 'mine');
    expect((await speak()).code).toBe(11);
    expect(at.requests).toEqual([]);
  });
});

describe('after a cut', () => {
  it('--resume requests only what is missing, and the file is complete', async () => {
    const { at, path, speak } = await speaking();
    cutAt(at, 3);
    expect(await speak()).toMatchObject(fails(12, 'svc speak … --resume'));
    expect(at.files()).not.toContain('book.wav');
    const before = asked(at);
    at.straighten();
    const resumed = await speak('--resume');
    expect(resumed.code).toBe(0);
    const again = asked(at).slice(before.length);
    expect(again).not.toContain('a');
    expect(again).not.toContain('b');
    expect(again).toContain('c');
    expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
    expect(at.files()).toEqual(['book.wav']);
    expect(resumed.stderr).toContain('pieces already existed and were not charged again');
  });

  it('a piece whose answer got lost is reported with exit code 10', async () => {
    const { at, speak } = await speaking();
    at.speech({ nth: 3, drop: 'request' });
    expect(await speak()).toMatchObject(fails(10, '2 of 4 pieces are saved'));
    expect(asked(at)).toEqual(['a', 'b', 'c']);
  });

  it('a refusal keeps what is paid for, and has its own exit code', async () => {
    const { at, speak } = await speaking();
    at.speech({ nth: 2, answer: noMoney });
    expect(await speak()).toMatchObject(
      fails(5, '1 of 4 pieces are saved', 'svc speak … --resume'),
    );
  });

  it('a piece that breaks off is what is told, also where the next is refused meanwhile', async () => {
    const { at, speak } = await speaking();
    const refused = gate();
    async function* broken() {
      yield Buffer.from('RIFF');
      await refused.opened;
      throw new Error('it breaks off');
    }
    at.speech({ answer: noMoney, first: () => void setTimeout(refused.open, 200) });
    const headers = { 'content-type': 'audio/wav', 'content-length': '50000' };
    at.speech({ nth: 1, answer: { bytes: broken(), headers } });
    const result = await speak();
    expect(result.code).toBe(12);
    expect(result.stderr).not.toContain('too little money');
  });

  it('before the first piece nothing is left', async () => {
    const { at, speak } = await speaking();
    at.speech({ answer: { status: 400, json: { error: 'no' } } });
    expect((await speak()).code).toBe(3);
    expect(at.files()).toEqual([]);
    expect(readdirSync(at.folder)).toEqual([]);
  });

  it('kept pieces are neither dropped nor used unasked', async () => {
    const { at, speak } = await speaking();
    cutAt(at, 3);
    await speak();
    at.straighten();
    const count = at.requests.length;
    expect(await speak()).toMatchObject(fails(11, 'paid pieces of an earlier run'));
    expect(at.requests).toHaveLength(count);
  });

  it.each([
    ['voice', ['--voice', 'tenor', '--', long]],
    ['speed', ['--speed', '2', '--', long]],
    ['format', ['--format', 'mp3', '--', long]],
    ['text', ['--', long.replace('aa', 'xx')]],
  ])('--resume does not continue pieces of another %s', async (what, words) => {
    const { at, path, speak } = await speaking();
    cutAt(at, 3);
    await speak();
    const { length } = at.posted();
    const result = await at.svc(['speak', '-m', 'vendor/voice', '-o', path, '--resume', ...words]);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(`belong to another ${what}`);
    expect(at.posted()).toHaveLength(length);
  });

  it('a foreign folder is left alone', async () => {
    const { at, path, speak } = await speaking();
    mkdirSync(`${path}.parts`);
    writeFileSync(join(`${path}.parts`, 'mine.txt'), 'mine');
    expect((await speak('--force')).code).toBe(11);
    expect(at.requests).toEqual([]);
    expect(at.files()).toEqual([join('book.wav.parts', 'mine.txt')]);
  });

  it('an interrupted user reads how to resume, and resumes', async () => {
    const { at, path, speak } = await speaking();
    const interrupt = new AbortController();
    at.speech({ ...silence, nth: 3, first: () => interrupt.abort(new Interrupted('SIGINT')) });
    const line = ['speak', '-m', 'vendor/voice', '-o', path, long];
    const result = await at.svc(line, { signal: interrupt.signal });
    expect(result.code).toBe(130);
    expect(result.stderr).toContain('continue with: `svc speak … --resume`');
    at.straighten();
    expect((await speak('--resume')).code).toBe(0);
    expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
  });

  it('two of them do not write one file at once', async () => {
    const { at, speak } = await speaking();
    const second = gate();
    at.speech({ ...silence, nth: 2, first: second.open });
    const interrupt = new AbortController();
    const line = ['speak', '-m', 'vendor/voice', '-o', at.path('book.wav'), long];
    const first = at.svc(line, { signal: interrupt.signal });
    await second.opened;
    expect(await speak('--resume')).toMatchObject(fails(11, 'another svc is writing '));
    interrupt.abort(new Interrupted('SIGINT'));
    await first;
  });
});

it('pieces that an earlier run kept are not paid for again where --force replaces the file', async () => {
  const { at, path, speak } = await speaking();
  writeFileSync(path, 'an older book');
  cutAt(at, 3);
  await speak('--force');
  const before = asked(at);
  at.straighten();
  expect((await speak('--force')).code).toBe(0);
  const again = asked(at).slice(before.length);
  expect(again).toContain('c');
  expect(again).not.toContain('a');
  expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
});

it('pieces that an earlier run kept are removed with --force when they belong to other speech', async () => {
  const { at, path, speak } = await speaking();
  cutAt(at, 3);
  await speak('--voice', 'tenor');
  const { length } = asked(at);
  at.straighten();
  expect((await speak('--force')).code).toBe(0);
  expect(asked(at).slice(length)).toEqual(letters);
  expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
});

it('pieces that an earlier run kept are not used when their text is unknown', async () => {
  const { at, path, speak } = await speaking();
  cutAt(at, 3);
  await speak();
  at.straighten();
  const { length } = at.requests;
  writeFileSync(join(`${path}.parts`, 'pieces.json'), '');
  const result = await speak('--resume');
  expect(result.code).toBe(11);
  expect(result.stderr).toContain('the note that identifies them is damaged');
  expect(at.requests).toHaveLength(length);
  expect((await speak('--force')).code).toBe(0);
  expect(await contentOf(path)).toEqual({ isSound: true, isText: true });
});

it.runIf(canMount)('a full disk says that the lost piece may cost', async () => {
  const at = await talker();
  const path = join(smallDisk(16), 'a.wav');
  expect(await at.svc(['speak', '-m', 'v', '-o', path, '--', 'a'.repeat(9900)])).toMatchObject({
    code: 11,
    stderr: `error: cannot write ${path}.part: the disk is full\nhint: free some space, then run it again; it may have been charged: \`svc usage list\` shows it\n`,
  });
});

it('pieces that got no names of their own are not paid for again', async () => {
  const { at, speak } = await speaking('book.flac');
  const third = at.path('book-3.flac');
  at.speech({ answer: flac });
  // The name was free when it was looked for.
  at.speech({
    nth: letters.length,
    first: () => writeFileSync(third, 'mine'),
    answer: (seen) => flac(seen, letters.length),
  });
  expect((await speak()).code).not.toBe(0);
  expect(read(third).toString()).toBe('mine');
  const { length } = at.posted();
  expect((await speak('--resume', '--force')).code).toBe(0);
  expect(at.posted()).toHaveLength(length);
  expect(at.files()).toEqual(letters.map((_, index) => `book-${String(index + 1)}.flac`));
  expect(read(at.path('book-1.flac')).toString()).toBe('fLaC1');
});
