/** A batch that is killed, cut off or out of space, and then goes on. */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bash } from '../../test/bin/svc.js';
import { chatLine } from '../../test/commands/batch/folder.js';
import { fakeService, json } from '../../test/helpers/fake-service.js';
import { canMount, smallDisk } from '../../test/helpers/small-disk.js';
import { batchProcesses } from './batch-processes.js';

const count = 40;
const inFlight = 4;
const ids = Array.from({ length: count }, (_, nth) => `line-${nth + 1}`).sort();
const reply = { choices: [{ message: { content: 'word '.repeat(400) } }], usage: {} };

/** A batch of texts, and a service that remembers which were received how often. */
async function batch(folder?: string) {
  const received = new Map<string, number>();
  let onReceived: (total: number) => void = () => undefined;
  let total = 0;
  const { env } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      json({}, 404)(request, response);
      return;
    }
    const text = /line-\d+/.exec(request.body)?.[0] ?? '';
    received.set(text, (received.get(text) ?? 0) + 1);
    onReceived((total += 1));
    setTimeout(() => json(reply)(request, response), 3);
  });
  const lines = ids.map((id) => chatLine(id, id));
  const processes = batchProcesses(lines, env, { atOnce: inFlight, folder });
  return { ...processes, received, each: (call: typeof onReceived) => (onReceived = call) };
}

/** Those that a summary names. */
function unknownIn(stderr: string): readonly string[] {
  const [, names] = /without an answer: (.*?);/.exec(stderr) ?? [];
  return names?.split(', ') ?? [];
}

describe('a batch', () => {
  it.each(Array.from({ length: 100 }, (_, nth) => nth))(
    'killed at moment %i sends no request twice, and names what got no answer',
    async (moment) => {
      const { done, each, received, run, start } = await batch();
      const { child, ended } = await start();
      // With nothing sent, while requests are sent, and while their answers are written.
      const kill = () => child.kill('SIGKILL');
      each((total) => {
        if (total === moment % (count + 1)) setTimeout(kill, moment / 20);
      });
      if (moment % (count + 1) === 0) setTimeout(kill, 50 + moment);
      await ended;
      const { code, stderr } = await run();
      const unknown = unknownIn(stderr);
      expect([...done(), ...unknown].sort()).toEqual(ids);
      expect(unknown.length).toBeLessThanOrEqual(inFlight);
      expect(code).toBe(unknown.length === 0 ? 0 : 12);
      expect(Math.max(...received.values())).toBe(1);
      expect((await run(['--unknown', 'retry'])).code).toBe(0);
      expect(done()).toEqual(ids);
      const again = ids.filter((id) => received.get(id) !== 1);
      expect(unknown).toEqual(expect.arrayContaining(again));
    },
  );

  it.skipIf(!canMount)('on a full disk ends with 11, and goes on when there is space', async () => {
    const disk = smallDisk(64);
    const { done, output, received, run } = await batch(disk);
    const filler = join(disk, 'filler');
    writeFileSync(filler, 'x'.repeat(20_000));
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
    expect([...done(), ...unknown].sort()).toEqual(ids);
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
});
