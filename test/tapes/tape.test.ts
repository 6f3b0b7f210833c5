import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalFileError } from '../../src/errors.js';
import { TapeFile } from '../../src/tapes/tape.js';
import { testFolder } from '../helpers/folder.js';
import { scripted } from '../helpers/scripted-transport.js';
import { asking, heard, tapeRig } from './rig.js';

describe('a tape file', () => {
  const line = (path: string, text = 'x') =>
    `{"request":{"method":"GET","path":"${path}"},"answer":{"status":200,"headers":{},"ms":0,"text":"${text}"}}`;
  const head = '{"svcTape":1}';

  it('may have been edited by hand, with CR LF, blank lines and a byte order mark', async () => {
    const at = tapeRig();
    writeFileSync(at.path, `\ufeff${head}\r\n\r\n${line('/a')}\r\n${line('/b', 'yé')}`);
    const { play } = at.player();
    expect([(await play(asking('/a'))).text, (await play(asking('/b'))).text]).toEqual(['x', 'yé']);
  });

  it('may end within a line, after which the next recording begins one of its own', async () => {
    const at = tapeRig();
    at.write(head, line('/a'));
    for (const length of [1, 40, 90, line('/b', 'é').length]) {
      at.write(head, line('/a'));
      appendFileSync(at.path, Buffer.from(line('/b', 'é')).subarray(0, length));
      expect((await at.player().play(asking('/a'))).text).toBe('x');
      await at.record([asking('/c'), { body: 'later' }]);
      expect((await at.player().play(asking('/c'))).text).toBe('later');
    }
  });

  it.each([
    ['line 1 does not begin a tape', ['{"a":1}']],
    ['line 1 does not begin a tape', ['']],
    ['line 2 is not an exchange', [head, '{"request":1}']],
    ['line 3 is not JSON', [head, line('/a'), `${line('/b')}}`]],
    ['line 2 nests too deeply', [head, '['.repeat(100_000)]],
    ['line 2 is not an exchange', [head, line('/a').replace('200', '0')]],
    ['line 2 is not an exchange', [head, line('/a').replace('{}', '{"a":"b\\r\\nset-cookie: c"}')]],
    ['line 2 is not an exchange', [head, line('/a').replace('{}', '{"a: b":"c"}')]],
    ['line 2 is not an exchange', [head, line('/a').replace('"text":"x"', '"pieces":[[0,-5]]')]],
    ['line 2 is not JSON', [head, '{"a":\u0000}']],
    ['line 2 is not an exchange', [head, line('/a').replace('"text":"x"', '"file":"../a"')]],
  ])('is refused with the number of the line that is wrong: %s', (message, lines) => {
    const at = tapeRig();
    at.write(...lines);
    expect(() => at.player()).toThrow(expect.objectContaining({ code: 'tape_damaged' }));
    expect(() => at.player()).toThrow(message);
  });

  it('is never a file of something else, which stays as it was', () => {
    const at = tapeRig();
    at.write('{"name":"package"}', '{}');
    const before = at.text();
    expect(() => at.recorder()).toThrow(/record into another file/);
    expect(at.text()).toBe(before);
    expect(() => tapeRig(join(at.path, 'below')).recorder()).toThrow(LocalFileError);
    expect(() => tapeRig(`${at.path}.missing`).player()).toThrow(/no such file/);
  });

  it('of 10,000 exchanges is looked up by an index: each request reads one line', async () => {
    const at = tapeRig();
    const count = 10_000;
    at.write(head, ...Array.from({ length: count }, (_, n) => line(`/${n}`, `${n}`)));
    const { tape } = at.player();
    const read = vi.spyOn(TapeFile.prototype, 'exchangeAt');
    onTestFinished(() => read.mockRestore());
    const last = tape.send(asking(`/${count - 1}`), () => Promise.reject(new Error('sent')));
    expect((await heard(last)).text).toBe(`${count - 1}`);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('takes the lines of several recordings at once', async () => {
    const at = tapeRig();
    const tapes = [at.recorder(), at.recorder()];
    const paths = Array.from({ length: 100 }, (_, n) => `/${n}`);
    const send = (path: string, n: number) =>
      heard((tapes[n % 2] ?? at.recorder()).send(asking(path), scripted({ body: path }).transport));
    await Promise.all(paths.map(send));
    expect(at.lines()).toHaveLength(101);
    const { play } = at.player();
    const played = await Promise.all(paths.map((path) => play(asking(path))));
    expect(played.map(({ text }) => text)).toEqual(paths);
  });
});

it('a tape of somebody else leads to no other file of who plays it', async () => {
  const at = tapeRig();
  const folder = `${at.path}.files`;
  const other = join(testFolder(), 'secret.bin');
  writeFileSync(other, 'secret');
  const exchange = (file: string) =>
    `{"request":{"method":"GET","path":"/${file}"},"answer":{"status":200,"headers":{},"ms":0,"file":"${file}"}}`;
  mkdirSync(folder);
  symlinkSync(other, join(folder, 'linked.bin'));
  writeFileSync(join(folder, 'own.bin'), 'own');
  at.write('{"svcTape":1}', exchange('linked.bin'), exchange('own.bin'), exchange('secret.bin'));
  const { play } = at.player();
  expect((await play(asking('/own.bin'))).text).toBe('own');
  await expect(play(asking('/linked.bin'))).rejects.toThrow('a link leads out of the tape');
  rmSync(folder, { recursive: true });
  symlinkSync(dirname(other), folder);
  await expect(play(asking('/secret.bin'))).rejects.toThrow('a link leads out of the tape');
});

it('a tape may itself be a link, with its answers beside what it leads to', async () => {
  const at = tapeRig();
  mkdirSync(`${at.path}.files`);
  writeFileSync(join(`${at.path}.files`, 'a.bin'), 'own');
  at.write(
    '{"svcTape":1}',
    '{"request":{"method":"GET","path":"/a"},"answer":{"status":200,"headers":{},"ms":0,"file":"a.bin"}}',
  );
  const linked = join(testFolder(), 'linked.jsonl');
  symlinkSync(at.path, linked);
  symlinkSync(`${at.path}.files`, `${linked}.files`);
  expect((await tapeRig(linked).player().play(asking('/a'))).text).toBe('own');
});
