import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../src/errors.js';
import { testFolder } from '../../test/helpers/folder.js';
import { silence } from '../../test/helpers/front.js';
import { gate } from '../../test/helpers/gate.js';
import { ManualClock } from '../../test/helpers/manual-clock.js';
import { run, type RunOptions } from '../../test/helpers/run.js';
import { canMount, smallDisk } from '../../test/helpers/small-disk.js';
import { wav } from '../../test/lib/audio/files.js';
import { large, listener } from '../../test/commands/transcribe/listener.js';

/** A recording of two parts, of which the service fails the second until it is mended. */
async function cut(home = testFolder()) {
  const at = await listener((count) => `part ${String(count)}.`);
  const path = at.file('lecture.wav', large());
  at.on(/^POST/, { nth: 2, answer: { status: 400, json: { error: { message: 'no ears' } } } });
  const mend = at.straighten;
  const svc = (more = '', options: RunOptions = {}) =>
    at.svc(`${path} --split ${more}`, { home, ...options });
  /** The folders of what is kept. */
  const kept = () => {
    const all = join(home, 'data', 'transcripts');
    return existsSync(all) ? readdirSync(all).map((name) => join(all, name)) : [];
  };
  return { at, path, svc, mend, kept };
}

describe('svc transcribe --split after a cut', () => {
  it('says how to resume, and requests only what is missing', async () => {
    const { at, svc, mend, kept } = await cut();
    const broken = await svc();
    expect(broken).toMatchObject({ code: 12, stdout: 'part 1.' });
    const [folder = ''] = kept();
    expect(broken.stderr).toBe(
      `54.0 MB of WAV in 2 parts\nerror: part 2 of 2 was not transcribed: no ears\nhint: 1 of 2 pieces are saved in ${folder}; continue with: \`svc transcribe … --split --resume\`\n`,
    );
    mend();
    const resumed = await svc('--resume');
    expect(resumed).toEqual({
      ...resumed,
      code: 0,
      stdout: 'part 1. part 3.\n',
      stderr:
        '54.0 MB of WAV in 2 parts\n1 of 2 parts were already transcribed and are not charged again\n',
    });
    expect(at.posts()).toHaveLength(3);
    expect(at.posts()[2]?.body).toContain('filename="lecture-2.wav"');
    expect(kept()).toEqual([]);
  }, 20_000);

  it('transcribes all parts within --timeout, or says how to resume', async () => {
    const { at, svc, kept } = await cut();
    const clock = new ManualClock();
    at.straighten();
    at.on(/./, { first: () => clock.pass(2000) });
    const result = await svc('--timeout 3s', { clock });
    expect(result).toMatchObject({ code: 12, stdout: 'part 1.' });
    expect(result.stderr).toContain('part 2 of 2 was not transcribed: not finished within');
    expect(kept()).toHaveLength(1);
  }, 20_000);

  it('forgets after 30 days what nobody went on with', async () => {
    const { svc, kept } = await cut();
    await svc();
    const [folder = ''] = kept();
    const other = (days: number) => {
      const path = join(folder, '..', `of ${String(days)} days`);
      mkdirSync(path);
      const at = new Date(Date.now() - days * 86_400_000);
      utimesSync(path, at, at);
      return path;
    };
    const [young, old] = [other(29), other(31)];
    utimesSync(folder, new Date(0), new Date(0));
    await svc();
    expect(kept().sort()).toEqual([folder, young].sort());
    expect(existsSync(old)).toBe(false);
  }, 20_000);

  it('neither drops nor uses what is kept unasked', async () => {
    const { at, svc, mend, kept } = await cut();
    await svc();
    mend();
    const result = await svc();
    expect(result).toMatchObject({ code: 11, stdout: '' });
    expect(result.stderr).toContain('contains 1 of 2 paid pieces of an earlier run');
    expect(result.stderr).toContain('continue with --resume');
    expect(at.posts()).toHaveLength(2);
    expect(kept()).toHaveLength(1);
  }, 20_000);

  it('tells programs what was there, and what this run cost', async () => {
    const { svc, mend } = await cut();
    const broken = await svc('--json');
    expect(broken.code).toBe(12);
    expect(JSON.parse(broken.stdout)).toMatchObject({ complete: false, reused: 0 });
    mend();
    expect(JSON.parse((await svc('--resume --json')).stdout)).toMatchObject({
      text: 'part 1. part 3.',
      complete: true,
      reused: 1,
      cost: { priceRub: 2 },
      ids: { generationId: 'gen_3' },
      allIds: [{ generationId: 'gen_1' }, { generationId: 'gen_3' }],
    });
  }, 20_000);

  it('gives nothing of another model, language or file', async () => {
    const home = testFolder();
    const { at, path, svc, mend } = await cut(home);
    await svc();
    mend();
    expect((await svc('--resume --language ru')).stdout).toBe('part 3. part 4.\n');
    const otherModel = `transcribe -m other/ear ${path} --split --resume`;
    const heard = await run(otherModel, { home, env: at.env, tty: { stdin: true } });
    expect(heard.stdout).toBe('part 5. part 6.\n');
    const other = large();
    other[1000] = 1;
    writeFileSync(path, other);
    expect((await svc('--resume')).stdout).toBe('part 7. part 8.\n');
    writeFileSync(path, large());
    expect((await svc('--resume')).stdout).toBe('part 1. part 9.\n');
    expect(at.posts()).toHaveLength(9);
  }, 30_000);

  it('goes on with a recording that is piped in', async () => {
    const { at, path, svc, mend, kept } = await cut();
    await svc();
    mend();
    const line = '- --split --resume';
    const [folder = ''] = kept();
    const home = join(folder, '..', '..', '..');
    const result = await at.svc(line, { home, stdin: createReadStream(path), tty: false });
    expect(result).toMatchObject({ code: 0, stdout: 'part 1. part 3.\n' });
  }, 20_000);

  it('hears once more what is kept, but damaged', async () => {
    const { svc, mend, kept } = await cut();
    await svc();
    mend();
    const [folder = ''] = kept();
    writeFileSync(join(folder, '0001.json'), '{"text":');
    expect((await svc('--resume')).stdout).toBe('part 3. part 4.\n');
  }, 20_000);

  it('says at once to an interrupted user how to resume', async () => {
    const { at, svc, mend } = await cut();
    const interrupt = new AbortController();
    const stop = () => interrupt.abort(new Interrupted('SIGINT'));
    at.on(/^POST/, { ...silence, nth: 2, first: stop });
    const result = await svc('', { signal: interrupt.signal });
    expect(result).toMatchObject({ code: 130, stdout: 'part 1.' });
    expect(result.stderr).toContain('continue with: `svc transcribe … --split --resume`');
    mend();
    expect((await svc('--resume')).stdout).toBe('part 1. part 3.\n');
  }, 20_000);

  it('does not do the same twice at once', async () => {
    const { at, svc, mend } = await cut();
    const second = gate();
    at.on(/^POST/, { ...silence, nth: 2, first: second.open });
    const interrupt = new AbortController();
    const first = svc('', { signal: interrupt.signal });
    await second.opened;
    const other = await svc('--resume');
    expect(other.code).toBe(11);
    expect(other.stderr).toContain('another svc is writing to');
    interrupt.abort(new Interrupted('SIGINT'));
    await first;
    mend();
    expect((await svc('--resume')).code).toBe(0);
  }, 20_000);

  it('keeps nothing of a dry run, or when the first part fails', async () => {
    const { at, svc, kept } = await cut();
    expect((await svc('--dry-run')).code).toBe(0);
    expect(kept()).toEqual([]);
    const json = { error: 'no sound', code: 'invalid_file' };
    at.on(/./, { answer: { status: 400, json } });
    expect((await svc()).code).toBe(3);
    expect(kept()).toEqual([]);
  }, 20_000);

  it.runIf(canMount)(
    'gives out what cannot be kept, and says so',
    async () => {
      const home = smallDisk(256);
      const { at, svc, mend } = await cut(home);
      mend();
      const fill = join(home, 'full');
      const fillUp = () => writeFileSync(fill, Buffer.alloc(1024 * 1024));
      at.straighten();
      at.on(/^POST/, { nth: 1, first: () => expect(fillUp).toThrow('ENOSPC') });
      const result = await svc();
      expect(result).toMatchObject({ code: 0, stdout: 'part 1. part 2.\n' });
      expect(result.stderr).toContain('warning: the finished parts were not saved: ');
      expect(result.stderr).toContain('the disk is full');
    },
    20_000,
  );
});

// The same recording transcribed again after a run that did not end is not paid for unasked.

async function scene() {
  const at = await listener();
  const home = testFolder();
  const path = at.file('a.wav', wav(Buffer.alloc(400, 1)));
  const svc = (...more: string[]) => at.svc([path, ...more], { home });
  return { at, svc };
}

describe('a recording of one part', () => {
  it('whose answer got lost is not paid for again unasked', async () => {
    const { at, svc } = await scene();
    at.on(/./, { drop: 'request' });
    expect((await svc()).code).toBe(10);
    at.straighten();
    const again = await svc();
    expect(again).toMatchObject({ code: 10, stdout: '' });
    expect(again.stderr).toContain('to pay for another, use --new\n');
    expect(at.posts()).toHaveLength(1);
    expect(await svc('--new')).toMatchObject({ code: 0, stdout: 'what it says\n' });
    expect(await svc()).toMatchObject({ code: 0 });
    expect(at.posts()).toHaveLength(3);
  });
});
