/** The name of -o is claimed before its content is paid for. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { listen } from '../../src/service/listen.js';
import { createService } from '../../src/service/service.js';
import { testFolder } from '../helpers/folder.js';
import { gate } from '../helpers/gate.js';
import { run, words } from '../helpers/run.js';

const long = 'A lighthouse stands on the rock. '.repeat(180);

/** What each pays for, and the end of the name for -o. */
const paid: readonly (readonly [line: string, extension: string])[] = [
  ['generate local/canvas lighthouse --opt quality=draft', '.png'],
  ['image create -m local/canvas lighthouse', '.png'],
  ['speak -m local/voice lighthouse', '.wav'],
  [`speak -m local/voice --format wav "${long}"`, '.wav'],
  ['chat -m local/guide lighthouse', '.md'],
  ['embed -m local/embed lighthouse', '.jsonl'],
];

/** A service that carries out paid requests when `go` is opened. */
async function waitingService() {
  const folder = testFolder();
  const home = testFolder();
  const service = createService({
    storePath: join(home, 'served.db'),
    clock: systemClock,
    jobTimeMs: 20,
  });
  const [reached, go] = [gate(), gate()];
  let posts = 0;
  const answer: typeof service.answer = async (request) => {
    const isPaid = request.method === 'POST' && !request.url.includes('/quote');
    if (isPaid) {
      posts += 1;
      reached.open();
      await go.opened;
    }
    return service.answer(request);
  };
  const listening = await listen({ answer }, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await listening.close();
    service.close();
  });
  const env = { SVC_BASE_URL: listening.url, SVC_API_KEY: 'sk-svc-local' };
  const svc = (line: string, file: string) =>
    run([...words(line), '-o', join(folder, file)], { home, env });
  return { folder, go, posts: () => posts, reached, svc };
}

describe.each(paid)('%s', (line, extension) => {
  it('is refused a name that another svc is paying for, and pays nothing', async () => {
    const { folder, go, posts, reached, svc } = await waitingService();
    const first = svc(line, `one${extension}`);
    await reached.opened;
    const before = posts();
    const second = await svc(line, `one${extension}`);
    expect([second.code, posts()]).toEqual([11, before]);
    expect(second.stderr).toContain(
      `another svc is writing ${join(folder, 'one')}${extension}.part`,
    );
    go.open();
    expect(await first).toMatchObject({ code: 0 });
    expect(readdirSync(folder)).toEqual([`one${extension}`]);
  });

  it('is refused a name that is too long with what svc adds to it, in bytes', async () => {
    const { folder, go, posts, svc } = await waitingService();
    go.open();
    const tooLong = `${'ж'.repeat(120)}${'a'.repeat(6 - extension.length)}${extension}`;
    expect(await svc(line, tooLong)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`too long for the name of a file; nothing was sent`),
    });
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
