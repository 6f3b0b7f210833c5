/** A batch that is killed, cut off or out of space, and then goes on. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordOf, textOf } from '../../src/lib/json.js';
import { bash, start, svc } from '../bin/svc.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { inFull } from '../helpers/in-full.js';
import { canMount, smallDisk } from '../helpers/small-disk.js';

const count = 40;
const inFlight = 4;
const ids = Array.from({ length: count }, (_, nth) => `line-${nth + 1}`);
const reply = { choices: [{ message: { content: 'word '.repeat(400) } }], usage: {} };

function requestFor(id: string) {
  const body = { model: 'm', messages: [{ role: 'user', content: id }] };
  return { custom_id: id, method: 'POST', url: '/v1/chat/completions', body };
}

/** A batch of texts, and a service that remembers which were received how often. */
async function batch(folder = testFolder()) {
  const received = new Map<string, number>();
  let onReceived: (total: number) => boolean = () => true;
  let total = 0;
  const { env } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      json({}, 404)(request, response);
      return;
    }
    const text = /line-\d+/.exec(request.body)?.[0] ?? '';
    received.set(text, (received.get(text) ?? 0) + 1);
    total += 1;
    if (onReceived(total)) setTimeout(() => json(reply)(request, response), 3);
  });
  const home = testFolder();
  const input = join(home, 'in.jsonl');
  writeFileSync(input, ids.map((id) => `${JSON.stringify(requestFor(id))}\n`).join(''));
  const output = join(folder, 'out.jsonl');
  const words = ['batch', 'run', input, '-o', output, '--concurrency', `${inFlight}`];
  const options = { env: { ...env, SVC_CONFIG_DIR: home } };
  return {
    input,
    output,
    received,
    options,
    start: () => start(words, options),
    run: (...more: string[]) => svc([...words, ...more], options),
    each: (call: typeof onReceived) => (onReceived = call),
    /** The custom_ids of OUT, each line of which is whole. */
    done: () =>
      readFileSync(output, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => textOf(recordOf(JSON.parse(line))['custom_id']) ?? ''),
  };
}

/** Those that a summary names. */
function unknownIn(stderr: string): readonly string[] {
  const [, names = ''] = /without an answer: (.*?);/.exec(stderr) ?? [];
  return names === '' ? [] : names.split(', ');
}

const sorted = (names: readonly string[]) => names.toSorted((one, other) => (one < other ? -1 : 1));

describe('a batch', () => {
  it.each(Array.from({ length: inFull(100, 3) }, (_, nth) => nth))(
    'killed at moment %i sends no request twice, and names what got no answer',
    async (moment) => {
      const { done, each, received, run, start } = await batch();
      const { child, ended } = await start();
      // With nothing sent, while requests are sent, and while their answers are written.
      const kill = () => child.kill('SIGKILL');
      each((total) => {
        if (total === moment % (count + 1)) setTimeout(kill, moment / 20);
        return true;
      });
      if (moment % (count + 1) === 0) setTimeout(kill, 50 + moment);
      await ended;
      each(() => true);
      const { code, stderr } = await run();
      const unknown = unknownIn(stderr);
      expect(sorted([...done(), ...unknown])).toEqual(sorted(ids));
      expect(unknown.length).toBeLessThanOrEqual(inFlight);
      expect(code).toBe(unknown.length === 0 ? 0 : 12);
      expect(Math.max(...received.values())).toBe(1);
      expect((await run('--unknown', 'retry')).code).toBe(0);
      expect(sorted(done())).toEqual(sorted(ids));
      const again = ids.filter((id) => received.get(id) !== 1);
      expect(unknown).toEqual(expect.arrayContaining(again));
    },
  );

  it.skipIf(!canMount)('on a full disk ends with 11, and goes on when there is space', async () => {
    const disk = smallDisk(64);
    const filler = join(disk, 'filler');
    writeFileSync(filler, 'x'.repeat(30_000));
    const { done, output, received, run } = await batch(disk);
    const { code, stderr } = await run();
    expect(code).toBe(11);
    expect(stderr).toContain(`cannot write ${output}: the disk is full`);
    const [, told] = /^(\d+) of 40 done/m.exec(stderr) ?? [];
    const [, unsaved = '0'] = /(\d+) answers? not saved/.exec(stderr) ?? [];
    expect(done()).toHaveLength(Number(told));
    rmSync(filler);
    // Room for the rest, but not on this small disk.
    spawnSync('mount', ['-o', 'remount,size=4m', disk]);
    const rest = await run();
    const unknown = unknownIn(rest.stderr);
    expect(unknown).toHaveLength(Number(unsaved));
    expect(sorted([...done(), ...unknown])).toEqual(sorted(ids));
    expect(Math.max(...received.values())).toBe(1);
  });

  it('whose output takes nothing ends with 11', async () => {
    const { input, options, received } = await batch();
    const line = `svc batch run ${input} -o - --concurrency ${inFlight} > /dev/full`;
    const { code, stderr } = await bash(line, options);
    expect(stderr).toMatch(
      / · (\d+) answers not saved · .*\nerror: cannot write to stdout: no space/,
    );
    expect(code).toBe(11);
    expect(received.size).toBeLessThan(count);
  });

  it('is refused while another run writes the same output', async () => {
    const { each, received, run, start } = await batch();
    const isReached = new Promise<void>((resolve) => {
      each(() => {
        resolve();
        return false;
      });
    });
    const { child } = await start();
    await isReached;
    const { code, stderr } = await run();
    expect(code).toBe(11);
    expect(stderr).toContain('error: another svc is writing ');
    child.kill('SIGKILL');
    await once(child, 'close');
    each(() => true);
    expect((await run('--unknown', 'retry')).code).toBe(0);
    expect(Math.max(...received.values())).toBe(2);
  });
});
