import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { testFolder } from '../../helpers/folder.js';
import { silence, type Answer } from '../../helpers/front.js';
import { gate } from '../../helpers/gate.js';
import { readWav } from '../../../src/lib/audio/wav.js';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { paragraph } from './book.js';
import { recording, sound, talker } from './talker.js';
import { fails } from '../../helpers/run.js';

const long = ['a', 'b', 'c'].map(paragraph).join('');
const speak = (...more: string[]) => ['speak', '-m', 'vendor/voice', '-o', '-', ...more];

/** Speech whose rest comes when the promise is fulfilled. */
function inTwo(bytes: Buffer, length: number, promise: Promise<unknown>): Answer {
  async function* halves() {
    yield bytes.subarray(0, length);
    await promise;
    yield bytes.subarray(length);
  }
  return { bytes: halves(), headers: { 'content-type': 'audio/wav' } };
}

describe('svc speak -o -', () => {
  it('hands the sound over as it arrives', async () => {
    const at = await talker();
    const output = gate();
    const bytes = recording('hi');
    // The rest comes only when the beginning is through.
    at.speech({ answer: inTwo(bytes, 20, output.opened) });
    const result = await at.svc(speak('hi'), { onStdout: output.open });
    expect(result.code).toBe(0);
    expect(result.stdoutBytes).toEqual(bytes);
  });

  it('joins a long text behind one head', async () => {
    const at = await talker();
    const result = await at.svc(speak('--format', 'wav', long));
    expect(result.code).toBe(0);
    expect(at.posted().map(({ input }) => input)).toEqual(['a', 'b', 'c'].map(paragraph));
    const file = await readWav(bufferSource(result.stdoutBytes));
    const output = result.stdoutBytes.subarray(file?.dataFrom, file?.dataTo);
    expect(output.equals(sound(long))).toBe(true);
    expect(result.stderr).toContain('27,012 characters in 3 pieces');
  });

  it('requests the next piece while this one is handed over, and no more', async () => {
    const at = await talker();
    const second = gate();
    const asked: string[] = [];
    // The first ends only when the second is asked for: otherwise this would never end.
    const ends = second.opened.then(() => asked.push('first ends'));
    const first = inTwo(recording(paragraph('a')), 1000, ends);
    at.speech({
      first: (_seen, count) => {
        asked.push(`asked ${count}`);
        if (count === 2) second.open();
      },
      answer: (_seen, count) => (count === 1 ? first : undefined),
    });
    expect((await at.svc(speak('--format', 'wav', long))).code).toBe(0);
    expect(asked).toEqual(['asked 1', 'asked 2', 'first ends', 'asked 3']);
  });

  it.each([
    [['--format', 'flac'], 'the pieces of a long text cannot be joined in flac'],
    [[], 'a long text on stdout needs --format'],
  ])('with %j a long text is refused before it is paid for', async (options, message) => {
    const at = await talker();
    expect(await at.svc(speak(...options, long))).toMatchObject(fails(2, message));
    expect(at.requests).toEqual([]);
  });

  it('that breaks off in a later piece keeps what came before, and says so', async () => {
    const at = await talker();
    at.speech({ nth: 2, cutAfterBytes: 1000 });
    const result = await at.svc(speak('--format', 'wav', long));
    expect(result.code).toBe(12);
    const file = await readWav(bufferSource(result.stdoutBytes));
    const output = result.stdoutBytes.subarray(file?.dataFrom, file?.dataTo);
    const first = sound(paragraph('a'));
    expect(output.subarray(0, first.length).equals(first)).toBe(true);
    expect(at.posted().length).toBeLessThanOrEqual(3);
  });

  it('is not requested where it could not be kept meanwhile', async () => {
    const at = await talker();
    const missing = join(testFolder(), 'missing');
    vi.stubEnv('TMPDIR', missing);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(await at.svc(speak('--format', 'wav', long), { home: at.folder })).toMatchObject(
      fails(11, `error: cannot store the speech in ${missing}: there is no such file or folder\n`),
    );
    expect(at.requests).toEqual([]);
  });

  it('leaves no copy behind when the user interrupts', async () => {
    const folder = testFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const at = await talker();
    const interrupt = new AbortController();
    at.speech({ ...silence, nth: 2, first: () => interrupt.abort(new Interrupted('SIGINT')) });
    const { signal } = interrupt;
    expect((await at.svc(speak('--format', 'wav', long), { signal })).code).toBe(130);
    expect(readdirSync(folder).filter((name) => name.startsWith('svc-speech-'))).toEqual([]);
  });
});
