import { expect, it } from 'vitest';
import { Log } from '../../src/state/log.js';
import { pathsFrom } from '../../src/state/paths.js';
import { chunks, chunksEnd, fakeService } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { installed } from '../../test/bin/package.js';
import { start, svc } from '../../test/bin/svc.js';

const homeOf = () => {
  const home = testFolder();
  return { home, log: new Log(pathsFrom({ SVC_CONFIG_DIR: home })) };
};

const chats = 20;

it('chats at once are all logged, those of one conversation in it', async () => {
  const { home, log } = homeOf();
  const env = { SVC_CONFIG_DIR: home };
  const names = ['--conversation', 'tea'];
  await installed();
  const ask = (nth: number) =>
    svc(['--local', 'chat', '-m', 'local/echo', ...(nth % 2 ? names : []), `tax ${nth}`], { env });
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
