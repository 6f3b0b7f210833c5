import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { ManualClock, PollingClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { images } from './scene.js';

const subject = 'Answers stop early';
const message = 'Since this morning long answers end in the middle.\n';
const now = Date.UTC(2026, 10, 30, 12);

it('a ticket of the embedded service goes its whole way from a script, with --json', async () => {
  const folder = testFolder();
  const clock = new ManualClock({ now });
  const svc = async (line: readonly string[], options: RunOptions = {}): Promise<unknown> => {
    const all = { home: folder, clock, ...options };
    const result = await run(['--local', 'tickets', ...line, '--json'], all);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(result.stdout);
  };
  const image = join(folder, 'screen.png');
  writeFileSync(image, images.gif);
  const created = await svc(['create', '--subject', subject, '--attach', image], {
    stdin: message,
  });
  expect(created).toMatchObject({
    deduplicated: false,
    ticket: { status: 'open', occurrences: 1 },
  });
  const id = String(recordOf(recordOf(created)['ticket'])['id']);
  expect(await svc(['list', '--status', 'open'])).toMatchObject({ data: [{ id }] });
  const opened = { author: 'client', body: message };
  expect(await svc(['show', id])).toMatchObject({ ticket: { messages: [opened] } });
  const added = { author: 'client', body: 'It goes on.' };
  const after = await svc(['reply', id, 'It', 'goes', 'on.']);
  expect(after).toMatchObject({ ticket: { messages: [opened, added] } });

  const waiting = new PollingClock({ now: clock.now() });
  const answered = { status: 'replied', messages: [opened, added, { author: 'staff' }] };
  expect(await svc(['watch', id], { clock: waiting })).toMatchObject({ ticket: answered });
  expect(waiting.now() - clock.now()).toBeGreaterThanOrEqual(10_000);
  clock.pass(60_000);

  const path = join(folder, 'screen.gif');
  expect(await svc(['download', id, '-o', `${folder}/`])).toMatchObject([
    { attachment: expect.any(String), path, bytes: images.gif.length },
  ]);
  expect(readFileSync(path)).toEqual(images.gif);
  expect(await svc(['close', id])).toMatchObject({ ticket: { status: 'closed' } });
});
