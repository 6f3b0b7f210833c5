import { expect, it } from 'vitest';
import { installed } from '../../test/bin/package.js';
import { start, svc } from '../../test/bin/svc.js';
import { chunks, chunksEnd, fakeService } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';

const processes = 24;
const kills = 30;

const answering = async () => {
  const service = await fakeService(({ method }, response) => {
    if (method !== 'POST') response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(chunks('Hello') + chunksEnd);
  });
  const env = { SVC_CONFIG_DIR: testFolder(), SVC_CACHE: '1h', SVC_LOG: 'off', ...service.env };
  const posts = () => service.requests.filter(({ method }) => method === 'POST').length;
  return { env, posts };
};

it('processes that write at once lose nothing but time, and then all find the answer', async () => {
  const { env, posts } = await answering();
  await installed();
  const askAll = () =>
    Promise.all(Array.from({ length: processes }, () => svc(['chat', '-m', 'm', 'hi'], { env })));
  for (const round of ['first', 'second']) {
    for (const { code, stdout, stderr } of await askAll())
      expect({ round, code, stdout, stderr }).toEqual({
        round,
        code: 0,
        stdout: 'Hello\n',
        stderr: '',
      });
  }
  expect(posts()).toBeLessThanOrEqual(processes);
});

it('a chat that is killed at any moment leaves an answer that is whole, or none', async () => {
  const { env, posts } = await answering();
  await installed();
  for (let nth = 0; nth < kills; nth += 1) {
    const words = ['chat', '-m', 'm', `question ${nth}`];
    const { child, ended } = await start(words, { env });
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 40 + nth * 12);
    await ended;
    clearTimeout(timer);
    expect(await svc(words, { env })).toMatchObject({ code: 0, stdout: 'Hello\n', stderr: '' });
    const before = posts();
    expect(await svc(words, { env })).toMatchObject({ code: 0, stdout: 'Hello\n', stderr: '' });
    expect(posts()).toBe(before);
  }
});
