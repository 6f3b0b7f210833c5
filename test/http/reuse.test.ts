import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRoute } from '../../src/http/attempt.js';
import { getting, onHead, peer, posting, rejection, reset, textOf, whole } from './rig.js';

describe('a connection whose answer is complete', () => {
  it.each([
    ['brings the next read too', ['POST', 'GET', 'GET'], 1],
    ['brings nothing that may be charged: was it carried out?', ['GET', 'POST', 'POST'], 3],
  ])('%s', async (_, methods, connections) => {
    const { url, sockets } = await peer((socket) => onHead(socket, () => socket.write(whole('a'))));
    const transport = createRoute();
    for (const method of methods) {
      const request = method === 'GET' ? getting(url) : posting(url, '{}');
      expect(await textOf(await transport(request))).toBe('a');
      await nextTurn();
    }
    expect(sockets).toHaveLength(connections);
  });

  it('brings one of many requests too, whatever it does, but not much later', async () => {
    const { url, sockets } = await peer((socket) => onHead(socket, () => socket.write(whole('a'))));
    const transport = createRoute();
    const ask = async () => {
      await textOf(await transport({ ...posting(url, '{}'), isFrequent: true }));
      await nextTurn();
      return sockets.length;
    };
    expect([await ask(), await ask()]).toEqual([1, 1]);
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 1600);
    onTestFinished(() => clock.mockRestore());
    expect(await ask()).toBe(2);
  });

  it('brings no more of them once one has met its end: nobody knows whether that was done', async () => {
    const { url, sockets } = await peer((socket, nth) => {
      let answered = 0;
      onHead(socket, () => {
        answered += 1;
        if (nth === 1 && answered === 2) reset(socket);
        else socket.write(whole(String(nth)));
      });
    });
    const transport = createRoute();
    const ask = () => transport({ ...posting(url, '{}'), isFrequent: true });
    await textOf(await ask());
    await nextTurn();
    expect(await rejection(ask())).toMatchObject({ reason: 'reset', sent: true });
    for (let nth = 2; nth <= 3; nth += 1) {
      expect(await textOf(await ask())).toBe(String(nth));
      await nextTurn();
    }
    expect(sockets).toHaveLength(3);
  });

  it('is replaced when it turns out to be closed, and the read is sent again', async () => {
    const { url, sockets } = await peer((socket, nth) => {
      let answered = 0;
      onHead(socket, () => {
        answered += 1;
        if (nth === 1 && answered === 2) reset(socket);
        else socket.write(whole(String(nth)));
      });
    });
    const transport = createRoute();
    expect(await textOf(await transport(getting(url)))).toBe('1');
    await nextTurn();
    expect(await textOf(await transport(getting(url)))).toBe('2');
    expect(sockets).toHaveLength(2);
  });

  it('is not reused after the service closed it or sent unrequested bytes', async () => {
    for (const lastBytes of ['', 'HTTP/1.1 408 Request Timeout\r\n\r\n']) {
      const { url, sockets } = await peer((socket) => {
        onHead(socket, () => {
          socket.write(whole('a'));
          setImmediate(() => socket.end(lastBytes));
        });
      });
      const transport = createRoute();
      await textOf(await transport(getting(url)));
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(await textOf(await transport(getting(url)))).toBe('a');
      expect(sockets).toHaveLength(2);
    }
  });

  it('is not kept when its body was incomplete', async () => {
    const { url, sockets } = await peer((socket, nth) => {
      onHead(socket, () =>
        socket.write(nth === 1 ? 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab' : whole('b')),
      );
    });
    const transport = createRoute();
    const first = await transport(getting(url));
    await rejection(
      first.pipe(() => {
        throw new Error('enough');
      }),
    );
    expect(await textOf(await transport(getting(url)))).toBe('b');
    expect(sockets).toHaveLength(2);
  });
});

/** The connection is free once the events of its answer have run. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
