/** What a hostile service or an endless input costs: memory, and the time until Ctrl-C ends it. */
import { readFileSync, readdirSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { chatFormats, type ChatFormat } from '../../src/contract/enums.js';
import { start, type Running } from '../../test/bin/svc.js';
import { chunks, fakeService } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { peer } from '../../test/http/rig.js';
import { answers, hostileChat } from './hostile-chat.js';

const mostMb = 150;
const mostMs = 200;
const figures: string[] = [];
afterAll(() => {
  console.log(figures.join('\n'));
});

/** Asks the service that answers so. */
async function ask(name: keyof typeof answers, format: ChatFormat, manner: string) {
  const env = { SVC_BASE_URL: await hostileChat(name, format), SVC_API_KEY: 'sk-svc-test' };
  const more = manner.split(' ').filter((word) => word !== '');
  const running = await start(['chat', '-m', 'm', '--format', format, ...more, 'hi'], { env });
  running.child.stdin.end();
  return running;
}

/** The most memory of a process until it ends, in MB. */
async function peakOf({ child, ended }: Running): Promise<{ mb: number; code: number | null }> {
  let mb = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${String(child.pid)}/status`, 'latin1');
      mb = Math.max(mb, (Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) * 1024) / 1e6);
    } catch {
      // It has ended.
    }
  }, 5);
  const { code } = await ended;
  clearInterval(look);
  return { mb, code };
}

const names = Object.keys(answers).filter((name): name is keyof typeof answers => name in answers);
const endless = (name: string) => name.startsWith('endless');
const manners = ['', '--json', '--events', '-x', '--json -x'];

/** The figures are svc's: a machine that is busy elsewhere gets another chance. */
const retry = 2;

describe.skipIf(process.platform !== 'linux').each(chatFormats)('chat in %s', (format) => {
  const cases = names.flatMap((name) => manners.map((manner) => [name, manner] as const));

  it.each(
    // To people text and reasoning go out as they come, for ever: nothing of them is kept.
    cases.filter(([name, manner]) => manner !== '' || !endless(name) || name.includes('tool')),
  )('ends %s with %s as incomplete', { timeout: 120_000, retry }, async (name, manner) => {
    const running = await ask(name, format, manner);
    const { mb, code } = await peakOf(running);
    figures.push(`${format}, ${name} ${manner}: ${mb.toFixed(0)} MB`);
    expect(code).toBe(12);
    expect(mb).toBeLessThan(mostMb);
  });

  it.each(names.filter(endless))(
    'ends at once on Ctrl-C in %s',
    { timeout: 60_000, retry },
    async (name) => {
      for (const manner of manners) {
        let ms = Infinity;
        // Once of eight times: the machine may be busy with something else.
        for (let nth = 0; nth < 8 && ms >= mostMs; nth += 1) {
          const { child } = await ask(name, format, manner);
          // What came is not to be gathered here: that would take its time, too.
          for (const stream of [child.stdout, child.stderr]) {
            stream.removeAllListeners('data').resume();
          }
          await new Promise((resolve) => setTimeout(resolve, 400));
          const at = performance.now();
          if (child.exitCode === null && child.kill('SIGINT')) await once(child, 'exit');
          ms = performance.now() - at;
        }
        figures.push(`${format}, ${name} ${manner}: Ctrl-C after ${ms.toFixed(0)} ms`);
        expect(ms).toBeLessThan(mostMs);
      }
    },
  );
});

describe.skipIf(process.platform !== 'linux')('4 GB piped in', () => {
  const pipe = (running: Running, bytes: number) => {
    const head = spawn('head', ['-c', String(bytes), '/dev/zero'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    head.stdout.pipe(running.child.stdin).on('error', () => head.kill());
  };

  it.each([
    ['chat -m m'],
    ['chat -m m -a - hi'],
    ['chat -m m -a /dev/zero hi'],
    ['decide -m m --yes-no q=really'],
    ['api POST /v1/x --input -'],
    ['search'],
    ['embed -m m'],
    ['speak -m m -f - -o x.mp3'],
  ])('is refused by %s', { timeout: 60_000, retry }, async (line) => {
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'sk-svc-test' };
    const running = await start(line.split(' '), { env });
    pipe(running, 4 * 2 ** 30);
    const { mb, code } = await peakOf(running);
    figures.push(`${line}: ${mb.toFixed(0)} MB`);
    expect(code).toBe(2);
    expect(mb).toBeLessThan(mostMb);
  });

  it('is uploaded through the disk, of which nothing stays', { timeout: 300_000 }, async () => {
    const size = 4 * 2 ** 30;
    let received = 0;
    const { port } = await peer((socket) => {
      socket.on('data', (piece: Buffer) => {
        received += piece.length;
        if (received < size) return;
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"id":"f"}');
        socket.removeAllListeners('data').resume();
      });
    });
    const TMPDIR = testFolder();
    const env = { SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: 'sk-svc-test', TMPDIR };
    const running = await start(['files', 'upload', '-'], { env });
    pipe(running, size);
    const { mb, code } = await peakOf(running);
    figures.push(`files upload -: ${mb.toFixed(0)} MB`);
    expect({ code, left: readdirSync(TMPDIR) }).toEqual({ code: 0, left: [] });
    expect(mb).toBeLessThan(mostMb);
  });
});

it('a slow reader of stdout holds the service back', async () => {
  let sent = 0;
  const service = await fakeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = chunks('x'.repeat(64 * 1024));
    const talk = () => {
      if (response.destroyed) return;
      sent += event.length;
      if (response.write(event)) setImmediate(talk);
      else response.once('drain', talk);
    };
    talk();
  });
  const running = await start(['chat', '-m', 'm', 'hi'], { env: service.env });
  running.child.stdin.end();
  running.child.stdout.pause();
  // It is held back when nothing more has left for a while.
  for (let before = -1; before !== sent || sent === 0;) {
    before = sent;
    await sleep(300);
  }
  expect(sent).toBeLessThan(30_000_000);
  running.child.kill('SIGKILL');
  await running.ended;
});
