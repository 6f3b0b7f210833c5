/** The name of -o is claimed before its content is paid for. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { png } from '../helpers/fake-media.js';
import { testFolder } from '../helpers/folder.js';
import { front } from '../helpers/front.js';
import { gate } from '../helpers/gate.js';
import { words } from '../helpers/run.js';
import { tones, wav } from '../lib/audio/files.js';

const long = 'A lighthouse stands on the rock. '.repeat(180);

/** What each pays for, and the end of the name for -o. */
const paid: readonly (readonly [what: string, line: string, extension: string])[] = [
  ['a job', 'generate local/canvas lighthouse --opt quality=draft', '.png'],
  ['an image', 'image create -m local/canvas lighthouse', '.png'],
  ['speech', 'speak -m local/voice lighthouse', '.wav'],
  ['a long speech', `speak -m local/voice --format wav "${long}"`, '.wav'],
  ['an answer', 'chat -m local/guide lighthouse', '.md'],
  ['vectors', 'embed -m local/embed lighthouse', '.jsonl'],
];

/** A service that carries out paid requests when `go` is opened. */
async function waitingService() {
  const folder = testFolder();
  const at = await front({ clock: systemClock, jobTimeMs: 20, usual: { clock: systemClock } });
  const [reached, go] = [gate(), gate()];
  let posts = 0;
  const first = () => {
    posts += 1;
    reached.open();
    return go.opened;
  };
  // To draw real pictures, and to speak so much, takes seconds.
  const speech = wav(tones([40, 0.5]));
  at.on(/^GET .*\/file\//, { answer: { bytes: png } });
  at.on(/^POST (?!.*price)/, {
    first,
    answer: ({ url }) => (url === '/v1/audio/speech' ? { bytes: speech } : undefined),
  });
  const svc = (line: string, file: string) => at.svc([...words(line), '-o', join(folder, file)]);
  return { folder, go, posts: () => posts, reached, svc };
}

describe.each(paid)('the name for %s', (_, line, extension) => {
  it('is refused where another svc is paying for it, and nothing is paid', async () => {
    const { folder, go, posts, reached, svc } = await waitingService();
    const first = svc(line, `one${extension}`);
    await reached.opened;
    const before = posts();
    const second = await svc(line, `one${extension}`);
    expect([second.code, posts()]).toEqual([11, before]);
    expect(second.stderr).toContain(`svc is writing ${join(folder, 'one')}${extension}.part`);
    go.open();
    expect(await first).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual([`one${extension}`]);
  });

  it('is refused where a file has it, before anything is paid, and replaced with --force', async () => {
    const { folder, go, posts, svc } = await waitingService();
    go.open();
    const file = `one${extension}`;
    writeFileSync(join(folder, file), 'mine');
    const { code, stderr } = await svc(line, file);
    expect([code, posts(), readFileSync(join(folder, file), 'utf8')]).toEqual([11, 0, 'mine']);
    expect(stderr).toMatch(/^error: [^\n]+ exists\nhint: [^\n]+--force[^\n]*\n$/);
    expect(await svc(`${line} --force`, file)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, file), 'utf8')).not.toBe('mine');
  });

  it('is refused where it is too long with what svc adds to it, in bytes', async () => {
    const { folder, go, posts, svc } = await waitingService();
    go.open();
    const tooLong = `${'ж'.repeat(120)}${'a'.repeat(6 - extension.length)}${extension}`;
    const { code, stderr } = await svc(line, tooLong);
    expect(code).toBe(2);
    expect(stderr).toContain('too long for the name of a file; nothing was sent');
    expect([posts(), readdirSync(folder)]).toEqual([0, []]);
    const fits = tooLong.slice(1, -extension.length) + `a${extension}`;
    expect(await svc(line, fits)).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, fits))).toBe(true);
  });
});

it('a batch is refused a name that is too long with that of its journal', async () => {
  const { folder, posts, svc } = await waitingService();
  const input = join(folder, 'in.txt');
  writeFileSync(input, 'What is a batch?\n');
  const line = `batch run ${input} -m local/guide`;
  expect(await svc(line, `${'ж'.repeat(123)}.jsonl`)).toMatchObject({ code: 2 });
  expect(await svc(line, `${'ж'.repeat(130)}.jsonl`)).toMatchObject({ code: 2 });
  expect([posts(), readdirSync(folder)]).toEqual([0, ['in.txt']]);
});
