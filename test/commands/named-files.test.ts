/** Every command reports an unreadable file in the same way, with the same exit code. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkRoom } from '../../src/files/target.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { canMount, smallDisk } from '../helpers/small-disk.js';

type Line = (path: string) => readonly string[];

/** Lines that read a text, with what their messages begin with. */
const texts: readonly (readonly [before: string, line: Line])[] = [
  ['--tool-definitions: ', (path) => ['chat', '-m', 'm', '--tool-definitions', path, 'hi']],
  ['--schema: ', (path) => ['chat', '-m', 'm', '--schema', path, 'hi']],
  ['the field a: ', (path) => ['api', 'POST', '/x', '-F', `a=@${path}`]],
  ['--state: ', (path) => ['decide', '--state', `@${path}`, '--yes-no', 'q=Is it?']],
  ['--questions: ', (path) => ['decide', '--state', 'x', '--questions', path]],
  ['--opt a: ', (path) => ['generate', 'm', 'x', '--opt', `a=@${path}`]],
  ['--opts: ', (path) => ['generate', 'm', 'x', '--opts', path]],
  ['--file: ', (path) => ['speak', '-m', 'm', '-f', path]],
  ['--file: ', (path) => ['tickets', 'reply', 't1', '-f', path]],
];

/** Those that read bytes. */
const others: typeof texts = [
  ['--attach: ', (path) => ['chat', '-m', 'm', '-a', path, 'hi']],
  ['--input: ', (path) => ['api', 'POST', '/x', '--input', path]],
  ['--file: ', (path) => ['embed', '-m', 'm', '-f', path]],
  ['--input: ', (path) => ['generate', 'm', 'x', '--input', path]],
  ['', (path) => ['files', 'upload', path]],
  ['', (path) => ['transcribe', path, '-m', 'm']],
];

interface Case {
  /** Makes it in the folder; nothing is there otherwise. */
  readonly made?: (path: string) => void;
  readonly sentence: (path: string) => string;
  readonly code: number;
  readonly lines: typeof texts;
}

const cases: Readonly<Record<string, Case>> = {
  'that is not there': {
    sentence: (path) => `there is no file ${path}`,
    code: 2,
    lines: [...texts, ...others],
  },
  'that is a folder': {
    made: (path) => mkdirSync(path),
    sentence: (path) => `${path} is a folder`,
    code: 2,
    lines: [...texts, ...others],
  },
  'whose links lead in a circle': {
    made: (path) => {
      symlinkSync(path, path);
    },
    sentence: (path) => `cannot read ${path}: its links form a loop`,
    code: 11,
    lines: [...texts, ...others],
  },
  'in Latin-1': {
    made: (path) => {
      writeFileSync(path, Buffer.from('["caf\xe9"]', 'latin1'));
    },
    sentence: (path) => `${path} is not UTF-8 text`,
    code: 2,
    lines: texts,
  },
};

const asked = Object.entries(cases).flatMap(([what, one]) =>
  one.lines.map(
    ([before, line]) => [what, line('FILE').join(' '), { ...one, before, line }] as const,
  ),
);

it.each(asked)('a file %s is refused in one sentence: svc %s', async (_what, _line, one) => {
  const service = await fakeService(json({}));
  const path = join(testFolder(), 'a');
  one.made?.(path);
  expect(await run(one.line(path), { env: service.env, tty: { stdin: true } })).toMatchObject({
    code: one.code,
    stdout: '',
    stderr: `error: ${one.before}${one.sentence(path)}\n`,
  });
  expect(service.requests).toEqual([]);
});

// A disk with no room for a result, noticed before it is paid for.

function fullDisk(leftKibibytes: number): string {
  const folder = smallDisk(256);
  writeFileSync(join(folder, 'rest'), Buffer.alloc((256 - leftKibibytes) * 1024));
  return folder;
}

describe.runIf(canMount)('a full disk', () => {
  it.each([
    ['generate -m v -p prompt', ['generate', 'v', 'a prompt']],
    ['image create', ['image', 'create', '-m', 'v', 'a prompt']],
    ['jobs download', ['jobs', 'download', 'job_1']],
  ])('is reported by %s before anything is sent', async (_, line) => {
    const service = await fakeService(json({ error: { message: 'no' } }, 500));
    for (const left of [0, 60]) {
      const folder = fullDisk(left);
      const { env } = service;
      for (const output of [`${folder}/`, join(folder, 'a.png'), join(folder, '{job}.{ext}')]) {
        const result = await run([...line, '-o', output], { env, tty: { stdin: true } });
        expect(result).toMatchObject({ code: 11, stdout: '' });
        expect(result.stderr).toMatch(
          new RegExp(
            `^error: the disk of ${folder}/? is full \\(.* left\\); nothing was sent\nhint: `,
          ),
        );
      }
    }
    expect(service.requests).toEqual([]);
  });

  it('with room left is not full', async () => {
    await checkRoom({ kind: 'folder', folder: fullDisk(64) });
  });
});

it('a file system without a size is not treated as full', async () => {
  await checkRoom({ kind: 'folder', folder: '/proc' });
  await checkRoom({ kind: 'folder', folder: '/no/such/folder' });
});
