import { expect, it } from 'vitest';
import { Log } from '../../src/state/log.js';
import { pathsFrom } from '../../src/state/paths.js';
import { chunks, chunksEnd, fakeService } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { engineOf, withEngine } from '../../test/bin/engines.js';
import { installed } from '../../test/bin/package.js';
import { start, svc } from '../../test/bin/svc.js';

const homeOf = () => {
  const home = testFolder();
  return { home, log: new Log(pathsFrom({ SVC_CONFIG_DIR: home })) };
};

const chats = 20;
const drawings = 24;

it('chats at once are all logged, those of one conversation in it', async () => {
  const { home, log } = homeOf();
  const env = { SVC_CONFIG_DIR: home };
  await installed();
  const ask = async (nth: number) => {
    const { run } = await withEngine(engineOf(nth), env);
    const named = nth % 4 < 2 ? ' --conversation tea' : '';
    return run(`--local chat -m local/echo${named} tax-${nth}`);
  };
  const ended = await Promise.all(Array.from({ length: chats }, (_, nth) => ask(nth)));
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(
    Array.from({ length: chats }, () => [0, '']),
  );
  expect(log.turns({ words: 'tax' })).toHaveLength(chats);
  expect(log.conversation('tea')).toMatchObject({ turns: chats / 2 });
});

it('a chat that is killed before it logs its turn leaves the log whole', async () => {
  const { home, log } = homeOf();
  const service = await fakeService((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunks('Hello'));
    if (service.requests.length !== 2) response.end(chunksEnd);
  });
  const env = { SVC_CONFIG_DIR: home, ...service.env };
  expect(await svc(['chat', '-m', 'm', 'one'], { env })).toMatchObject({ stdout: 'Hello\n' });
  const second = await start(['chat', '-c', 'two'], { env });
  second.child.stdin.end();
  await second.shows('Hello');
  second.child.kill('SIGKILL');
  await second.ended;
  expect(await svc(['chat', '-c', 'three'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(log.turns({}).map(({ id, parent }) => [id, parent])).toEqual([
    [2, 1],
    [1, null],
  ]);
});

it('jobs at once are all in the ledger, and paid once', { timeout: 120_000 }, async () => {
  const { home } = homeOf();
  const env = { SVC_CONFIG_DIR: home, SVC_BUDGET: '1000', SVC_LOCAL_JOB_TIME: '1ms' };
  const draw = async (nth: number) => {
    const { run } = await withEngine(engineOf(nth), env);
    const line = '--local generate local/canvas --opt quality=draft -q';
    return run(`${line} light-${nth} -o ${home}/${nth}.png`);
  };
  const ended = await Promise.all(Array.from({ length: drawings }, (_, nth) => draw(nth)));
  expect(ended.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([]);
  for (const nth of [0, 1]) {
    const { run } = await withEngine(engineOf(nth), env);
    const said = async (words: string): Promise<unknown> =>
      JSON.parse((await run(`--local ${words} --json`)).stdout);
    const jobs = JSON.stringify(await said('jobs list --all'));
    expect(jobs.match(/"state":"done"/g)).toHaveLength(drawings);
    expect(new Set(jobs.match(/"path":"[^"]+"/g)).size).toBe(drawings);
    expect(await said('balance')).toMatchObject({ balance_rub: 985.6 });
    expect(await said('budget')).toMatchObject({ day: { chargedRub: 14.4, reservedRub: 0 } });
  }
});
