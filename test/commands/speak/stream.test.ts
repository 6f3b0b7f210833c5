import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import { readWav } from '../../../src/lib/audio/wav.js';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { recording, sound, talker } from './talker.js';

const paragraph = (letter: string) => `${letter.repeat(9001)}.\n\n`;
const long = ['a', 'b', 'c'].map(paragraph).join('');
const speak = (...more: string[]) => ['speak', '-m', 'vendor/voice', '-o', '-', ...more];

describe('svc speak -o -', () => {
  it('hands the sound over as it arrives', async () => {
    const at = await talker();
    const output = gate();
    const bytes = recording('hi');
    at.instead = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(bytes.subarray(0, 20));
      // The rest comes only when the beginning is through.
      void output.opened.then(() => response.end(bytes.subarray(20)));
      return true;
    };
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
    at.instead = ({ body }, response, count) => {
      asked.push(`asked ${String(count)}`);
      if (count === 2) second.open();
      if (count !== 1) return false;
      const bytes = recording(paragraph('a'));
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(bytes.subarray(0, 1000));
      // The first ends only when the second is asked for: otherwise this would never end.
      void second.opened.then(() => {
        asked.push('first ends');
        response.end(bytes.subarray(1000));
      });
      return body !== '';
    };
    const result = await at.svc(speak('--format', 'wav', long));
    expect(result.code).toBe(0);
    expect(asked).toEqual(['asked 1', 'asked 2', 'first ends', 'asked 3']);
  });

  it.each([
    [['--format', 'flac'], 'the pieces of a long text cannot be joined in flac'],
    [[], 'a long text on stdout needs --format'],
  ])('with %j a long text is refused before it is paid for', async (options, message) => {
    const at = await talker();
    const result = await at.svc(speak(...options, long));
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
    expect(at.requests).toEqual([]);
  });

  it('that breaks off in a later piece keeps what came before, and says so', async () => {
    const at = await talker();
    at.instead = (_request, response, count) => {
      if (count !== 2) return false;
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '50000' });
      response.write(recording('half'), () => response.destroy());
      return true;
    };
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
    const result = await at.svc(speak('--format', 'wav', long), { home: at.folder });
    expect(result.code).toBe(11);
    expect(result.stderr).toContain(
      `error: cannot store the speech in ${missing}: there is no such file or folder\n`,
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
    at.instead = (_request, response, count) => {
      if (count === 2) interrupt.abort(new Interrupted('SIGINT'));
      return count === 2;
    };
    const { signal } = interrupt;
    const result = await at.svc(speak('--format', 'wav', long), { signal });
    expect(result.code).toBe(130);
    expect(readdirSync(folder).filter((name) => name.startsWith('svc-speech-'))).toEqual([]);
  });
});
