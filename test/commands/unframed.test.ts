/** Files in answers that say nothing of their length, and end with their connection. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { fakeKey } from '../helpers/fake-service.js';
import { fails, run } from '../helpers/run.js';
import { peer } from '../http/rig.js';
import { tones, wav } from '../lib/audio/files.js';
import { plainMp3, wholes } from '../lib/complete-files.js';

const files: Readonly<Record<string, Buffer>> = {
  ...(await wholes()),
  'mp3 without a number': await plainMp3(),
};
const sounds = ['wav', 'flac', 'mp3', 'mp3 without a number', 'ogg'];
const pcm = tones([3000, 0.5]);

/** Answers each request for speech with the next of these bodies, and closes the connection. */
async function speaker(...bodies: readonly Buffer[]) {
  let count = 0;
  const { url } = await peer((socket) => {
    let seen = '';
    let isAnswered = false;
    socket.on('data', (piece: Buffer) => {
      seen += piece.toString('latin1');
      const length = /content-length: (\d+)/i.exec(seen)?.[1] ?? '0';
      const [head = '', body = ''] = seen.split('\r\n\r\n');
      if (isAnswered || body.length < Number(length) || !seen.includes('\r\n\r\n')) return;
      isAnswered = true;
      if (!head.startsWith('POST')) {
        socket.end('HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: audio/x-any\r\n\r\n');
      socket.end(bodies[count++ % bodies.length] ?? '');
    });
  });
  const env = { SVC_BASE_URL: url.origin, SVC_API_KEY: fakeKey };
  return (line: readonly string[]) => run(line, { env, tty: { stdin: true } });
}

const speak = ['speak', '-m', 'v'];
const said = 'the file may be incomplete: ';
const mayCost = 'it may have been charged: `svc usage list` shows it';

it.each(sounds)(
  'speech of unknown length speech of unknown length is whole in a format that shows its end: %s',
  async (name) => {
    const file = files[name] ?? pcm;
    const svc = await speaker(file);
    const path = join(testFolder(), 'a');
    expect(await svc([...speak, '-o', path, 'hi'])).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path).equals(file)).toBe(true);
    const piped = await svc([...speak, '-o', '-', 'hi']);
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(piped.stdoutBytes.equals(file)).toBe(true);
  },
);

it.each(sounds)(
  'speech of unknown length speech that breaks off is incomplete, and its file gets no name: %s',
  async (name) => {
    const file = files[name] ?? pcm;
    const half = file.subarray(0, Math.floor(file.length / 2) + 1);
    const svc = await speaker(half);
    const path = join(testFolder(), 'a');
    expect(await svc([...speak, '-o', path, 'hi'])).toMatchObject(
      fails(12, said, mayCost, `the part that arrived is in ${path}.part\n`),
    );
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}.part`).equals(half)).toBe(true);
    const piped = await svc([...speak, '-o', '-', 'hi']);
    expect(piped.code).toBe(12);
    expect(piped.stdoutBytes.equals(half)).toBe(true);
  },
);

it('speech of unknown length bare samples, or a header without a length, are never considered complete', async () => {
  for (const body of [pcm, wav(pcm, { told: 0 }).fill(0xff, 4, 8)]) {
    const svc = await speaker(body);
    const result = await svc([...speak, '-o', '-', '--format', 'pcm', 'hi']);
    expect(result).toMatchObject({ code: 12 });
    expect(result.stderr).toContain(said);
  }
});

it('speech of unknown length empty speech is a failure', async () => {
  const svc = await speaker(Buffer.alloc(0));
  expect(await svc([...speak, '-o', '-', 'hi'])).toMatchObject(fails(10, 'without audio'));
});

it('speech of unknown length speech of several pieces is incomplete where one of them is', async () => {
  const whole = wav(pcm);
  const text = `${'a'.repeat(9000)}. `.repeat(3);
  for (const [bodies, code] of [
    [[whole], 0],
    [[whole, whole.subarray(0, 3000), whole], 12],
  ] as const) {
    const path = join(testFolder(), 'a.wav');
    expect((await (await speaker(...bodies))([...speak, '-o', path, text])).code).toBe(code);
    expect(existsSync(path)).toBe(code === 0);
    const piped = await speaker(...bodies);
    expect((await piped([...speak, '-o', '-', '--format', 'wav', text])).code).toBe(code);
  }
});

const api = ['api', 'POST', '/v1/audio/speech', '-f', 'model=v', '-f', 'input=hi'];

it.each(sounds)(
  'svc api succeeds where the bytes show their end, and is incomplete otherwise: %s',
  async (name) => {
    const file = files[name] ?? pcm;
    const whole = await (await speaker(file))(api);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdoutBytes.equals(file)).toBe(true);
    const half = await (await speaker(file.subarray(0, file.length - 2)))(api);
    expect(half.code).toBe(12);
    expect(half.stderr).toContain(said);
    expect(half.stdoutBytes.length).toBe(file.length - 2);
  },
);

it('svc api does not judge an answer that is not a file', async () => {
  const svc = await speaker(Buffer.from('{"a": 1}'));
  expect(await svc(['api', 'POST', '/v1/balance'])).toMatchObject({
    code: 0,
    stdout: '{"a": 1}',
  });
});
