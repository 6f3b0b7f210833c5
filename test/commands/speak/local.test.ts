/** Speech and transcription against the embedded service. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** `svc --local LINE` in a home and a folder of its own. */
function local() {
  const home = testFolder();
  const folder = testFolder();
  const svc = (...words: string[]) => run(['--local', ...words], { home, tty: { stdin: true } });
  return { svc, path: (name: string) => join(folder, name) };
}

const sentence = 'A boat came out of the mist; “who is there?” cried the gulls — никто 😀.';
const chapter = Array.from({ length: 180 }, (_, index) =>
  index % 7 === 6 ? `${sentence}\r\n\r\n` : `${String(index)}  ${sentence} `,
).join('');

describe('what the embedded service speaks', () => {
  it('is heard again', async () => {
    const { svc, path } = local();
    const hi = path('hi.wav');
    expect(await svc('speak', 'hello', '-o', hi)).toMatchObject({ code: 0, stdout: `${hi}\n` });
    expect(await svc('transcribe', hi)).toMatchObject({ code: 0, stdout: 'hello' });
  });

  it('is refused where its route is closed, and nothing is said to be charged perhaps', async () => {
    const { svc, path } = local();
    expect(await svc('speak', 'hello', '-o', path('hi.wav'))).toMatchObject({ code: 0 });
    const closed = [
      ['speak', '-m', 'local/voice:closed', 'hello', '-o', path('no.wav')],
      ['transcribe', '-m', 'local/transcribe:closed', path('hi.wav')],
    ];
    for (const line of closed) {
      const { code, stderr } = await svc(...line);
      expect(code).toBe(6);
      expect(stderr).toContain('is temporarily unavailable; nothing was charged');
      expect(stderr).not.toMatch(/may have been|whether it was/);
    }
  });

  it.each(['chapter.wav', 'chapter.mp3'])(
    'is heard again to the letter from a joined %s',
    async (name) => {
      const { svc, path } = local();
      expect(chapter.length).toBeGreaterThan(10_000);
      const spoken = await svc('speak', '--speed', '4', '-o', path(name), '--', chapter);
      expect(spoken.stderr).toContain('in 2 pieces');
      expect(spoken.code).toBe(0);
      const heard = await svc('transcribe', path(name));
      expect(heard.code).toBe(0);
      expect(heard.stdout === chapter).toBe(true);
    },
    60_000,
  );

  it('is heard again to the letter from one piece of more than 50 MB that is cut', async () => {
    const { svc, path } = local();
    const text = chapter.slice(0, 3200);
    await svc('speak', '--speed', '0.25', '-o', path('slow.wav'), '--', text);
    expect(statSync(path('slow.wav')).size).toBeGreaterThan(50 * 1024 * 1024);
    const heard = await svc('transcribe', '--split', path('slow.wav'));
    expect(heard.stderr).toContain('of WAV in 2 parts');
    expect(heard.stdout).toBe(text);
  }, 60_000);

  it.each([
    ['--voice', 'tenr', 2, 'there is no voice "tenr"; did you mean "tenor"?'],
    ['--format', 'aac', 3, 'aac'],
  ])('is refused with %s %s in a sentence', async (flag, value, code, message) => {
    const { svc, path } = local();
    const result = await svc('speak', 'hello', flag, value, '-o', path('a.x'));
    expect(result.code).toBe(code);
    expect(result.stderr.split('\n')[0]).toContain(message);
  });
});
