/** svc run as a process of its own: signals and exit codes, with real programs. */
import { describe, expect, it } from 'vitest';
import { start, svc } from './svc.js';

const words = (script: string) => ['--local', 'run', '--', process.execPath, '-e', script];
const stays = 'setInterval(() => {}, 1e6); console.log("begun");';

describe.skipIf(process.platform === 'win32')('the program of svc run', () => {
  it('has the streams of svc, which writes nothing to stdout', async () => {
    const ended = await svc(words('process.stdin.pipe(process.stdout); console.error("own")'), {
      stdin: 'piped',
    });
    expect(ended).toMatchObject({ code: 0, stdout: 'piped' });
    expect(ended.stderr).toMatch(/^own\nsvc run: node made no request/);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'] as const)('gets %s', async (signal) => {
    const running = await start(words(`process.on('${signal}', () => process.exit(9)); ${stays}`));
    await running.shows('begun');
    running.child.kill(signal);
    expect(await running.ended).toMatchObject({ code: 9, stdout: 'begun\n' });
  });

  it('ends svc by SIGINT where that ends it, so that a loop around svc stops', async () => {
    expect(
      await svc(words("process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1e6)")),
    ).toMatchObject({
      code: null,
      signal: 'SIGINT',
    });
  });

  it('outlives a killed svc, and finds that nothing listens', async () => {
    const script = `${stays}
      const ask = () => fetch(process.env.SVC_BASE_URL).then((answer) => answer.text()).then(ask, look);
      const look = ({ cause }) => {
        if (cause?.code !== 'ECONNREFUSED') return ask();
        console.log('nothing listens');
        process.exit();
      };
      ask();`;
    const running = await start(words(script));
    await running.shows('begun');
    running.child.kill('SIGKILL');
    expect(await running.ended).toMatchObject({
      signal: 'SIGKILL',
      stdout: 'begun\nnothing listens\n',
    });
  });
});
