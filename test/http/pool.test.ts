import { describe, expect, it } from 'vitest';
import { createPoolTransport } from '../../src/http/pool.js';
import type { Transport } from '../../src/http/types.js';
import { authorityFile } from './certificate.js';
import { tunnelled } from './proxies.js';
import { answering, closed, endless, onHead, patient, peer, posting } from './rig.js';
import { rejection, textOf, whole } from './rig.js';
import { runChild } from './run-child.js';
import { pooled } from './transports.js';

/** What came of posts, so many at once: texts, and the reasons of failures. */
async function posts(transport: Transport, url: URL, count: number, atOnce: number) {
  const outcomes: string[] = [];
  let left = count;
  const post = async () => {
    while (left-- > 0) {
      const text = transport(posting(url, '{}')).then(textOf);
      outcomes.push(
        await text.catch((error: unknown) => String(Reflect.get(Object(error), 'reason'))),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, post));
  return outcomes;
}

describe('the connections of a pool', () => {
  it('bring one answer after the other, and are no more than there may be', async () => {
    const { url, sockets } = await peer(answering(whole('a'), 'keep'));
    expect(await posts(await pooled(url, 3), url, 30, 8)).toEqual(Array(30).fill('a'));
    expect(sockets).toHaveLength(3);
  });

  it('are replaced without a loss when the service has closed them meanwhile', async () => {
    const { url, sockets } = await peer(answering(whole('a')));
    const transport = await pooled(url);
    while (sockets.length < 3) {
      expect(await posts(transport, url, 1, 1)).toEqual(['a']);
      await closed(sockets.at(-1));
    }
  });

  it('lose no more than what is in flight to a service that closes them without notice', async () => {
    const { url } = await peer((socket) => {
      let heads = 0;
      onHead(socket, () => {
        heads += 1;
        if (heads > 1) socket.destroy();
        else socket.write(whole('a'));
      });
    });
    const outcomes = await posts(await pooled(url, 4), url, 100, 4);
    const lost = outcomes.filter((outcome) => outcome !== 'a');
    expect(new Set(lost)).toEqual(new Set(['reset']));
    expect(lost.length).toBeLessThanOrEqual(4);
  });

  it('end with the pool, and with them the requests under way', async () => {
    const { url } = await peer((socket) => onHead(socket, () => void close()));
    const options = { env: {}, baseUrl: url, connections: 1 };
    const { transport, close } = await createPoolTransport(options);
    const failure = await rejection(transport(posting(url, '{}')));
    expect(failure).toMatchObject({ name: 'AttemptFailed', sent: true });
    expect(await rejection(transport(posting(url, '{}')))).toMatchObject({ sent: false });
  });

  it('leave long bodies to connections of their own', async () => {
    const { url, sockets } = await peer(answering(whole('a'), 'keep'));
    const transport = await pooled(url);
    for (const body of ['short', 'x'.repeat(300_000), 'short']) {
      await textOf(await transport(posting(url, body)));
    }
    expect(sockets).toHaveLength(2);
  });
});

it('an answer to a pool is given up after the idle time when only chunk extensions arrive', async () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const { url } = await peer(endless(`${head}4\r\nhalf\r\n1;`, 'x'.repeat(16_000)));
  const request = posting(url, '{}', { timeouts: { ...patient, idleMs: 60 } });
  const failure = await rejection((await pooled(url))(request));
  expect(failure).toMatchObject({ name: 'BodyCut', reason: 'idle-timeout' });
});

it('a pool keeps one tunnel through a proxy, and ends with its process', async () => {
  const { proxy } = await tunnelled();
  const env = { POOL: '1', HTTPS_PROXY: proxy.address };
  const secure = 'https://service.test/';
  const trusting = { ...env, NODE_EXTRA_CA_CERTS: authorityFile };
  const { results } = await runChild(trusting, secure, secure);
  expect(results).toEqual(Array(2).fill({ status: 200, text: 'from the service' }));
  expect(proxy.heads).toHaveLength(1);
  expect(proxy.heads[0]).toContain('CONNECT service.test:443');
  const wary = await runChild(env, secure);
  expect(wary.results).toMatchObject([{ reason: 'tls', sent: false }]);
});

describe('a pool behind a proxy', () => {
  const through = (port: number, baseUrl: URL) =>
    createPoolTransport({
      env: { all_proxy: `http://me:pass@127.0.0.1:${port}` },
      baseUrl,
      connections: 2,
    });

  it('asks it for the whole URL of an http service', async () => {
    const heads: string[] = [];
    const proxy = await peer((socket) => {
      onHead(socket, (head) => {
        heads.push(head);
        socket.write(whole('a'));
      });
    });
    const url = new URL('http://service.test/v1/chat/completions');
    const { transport, close } = await through(proxy.port, url);
    expect(await posts(transport, url, 2, 1)).toEqual(['a', 'a']);
    expect(heads[1]).toContain(`POST ${url.href} HTTP/1.1`);
    expect(heads[1]).toContain('host: service.test');
    expect(heads[1]).toContain(`Basic ${Buffer.from('me:pass').toString('base64')}`);
    await close();
  });

  it.each([
    ['http', 'reset'],
    ['https', 'connect'],
  ])('makes no more connections than requests when it hangs up: %s', async (protocol, reason) => {
    const proxy = await peer((socket) => socket.destroy());
    const url = new URL(`${protocol}://service.test/v1`);
    const { transport, close } = await through(proxy.port, url);
    const outcomes = await posts(transport, url, 20, 4);
    expect(new Set(outcomes)).toEqual(new Set([reason]));
    expect(proxy.sockets.length).toBeLessThanOrEqual(20);
    await close();
  });
});
