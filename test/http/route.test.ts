import { describe, expect, it } from 'vitest';
import type { StreamedBody } from '../../src/http/types.js';
import { answering, closed, getting, onHead, patient } from './rig.js';
import { peer, posting, rejection, textOf, whole } from './rig.js';
import { transports } from './transports.js';

describe.each(transports)('%s: a request straight to the service', (_, open) => {
  it('brings status, headers in lower case and the body', async () => {
    const head = 'HTTP/1.1 201 Created\r\nX-Svc-Request-Id: r1\r\nVia: a\r\nVia: b\r\n';
    const { url } = await peer(answering(`${head}Content-Length: 5\r\n\r\nhello`));
    const response = await (await open(url))(getting(url));
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({ 'x-svc-request-id': 'r1', via: 'a, b' });
    expect(await textOf(response)).toBe('hello');
  });

  it('sends path, query, host and its headers, and asks for no compression', async () => {
    const heads: string[] = [];
    const { url } = await peer((socket) => {
      onHead(socket, (head) => {
        heads.push(head);
        socket.end(whole('{}'));
      });
    });
    await textOf(await (await open(url))(getting(url, { headers: { 'x-thing': 'yes' } })));
    expect(heads[0]).toContain('GET /v1/balance?a=1 HTTP/1.1');
    expect(heads[0]?.toLowerCase()).toContain(`host: ${url.host}`);
    expect(heads[0]?.toLowerCase()).toContain('accept-encoding: identity');
    expect(heads[0]).toContain('x-thing: yes');
  });

  it('passes over what a proxy or the service says before its answer', async () => {
    const { url } = await peer(
      answering(`HTTP/1.1 103 Early Hints\r\nvia: x\r\n\r\n${whole('a')}`),
    );
    const response = await (await open(url))(getting(url));
    expect(response.headers).not.toHaveProperty('via');
    expect(await textOf(response)).toBe('a');
  });

  it('reads a body of chunks however they are cut, and one that ends with the connection', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const { url } = await peer((socket, nth) => {
      onHead(socket, () => {
        if (nth === 2) {
          socket.end('HTTP/1.1 200 OK\r\n\r\nto the end');
          return;
        }
        const bytes = Buffer.from(`${chunked}3\r\nabc\r\n6;note=x\r\ndefghi\r\n0\r\n\r\n`);
        let at = 0;
        const next = () => {
          if (at >= bytes.length) return;
          socket.write(bytes.subarray(at, (at += 7)), () => setImmediate(next));
        };
        next();
      });
    });
    for (const text of ['abcdefghi', 'to the end']) {
      expect(await textOf(await (await open(url))(posting(url, '')))).toBe(text);
    }
  });
});

const switching = 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';

describe.each(transports)('%s: an attempt without an answer', (_, open) => {
  it.each([
    ['reset', 'the line is reset', '', 'reset'],
    ['reset', 'half a head comes', 'HTTP/1.1 200 OK\r\ncontent-le', 'fin'],
    ['protocol', 'what answers does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'fin'],
    ['protocol', 'the head is huge', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`, 'fin'],
    ['reset', 'the line is taken for another protocol', switching, 'fin'],
  ] as const)('is reported as %s when %s', async (reason, _when, answer, end) => {
    const { url } = await peer(answering(answer, end));
    const failure = await rejection((await open(url))(getting(url)));
    expect(failure).toMatchObject({ name: 'AttemptFailed', reason, sent: true });
    expect(String(failure)).toContain(url.host);
  });

  it('says that nothing was sent when the connection is refused', async () => {
    const { url } = await peer(() => undefined);
    url.port = '1';
    const failure = await rejection((await open(url))(getting(url)));
    expect(failure).toMatchObject({ reason: 'connect', sent: false });
    expect(String(failure)).toContain('refused');
  });

  it('says that nothing was sent when there is no such host', async () => {
    const url = new URL('http://no-such-host.invalid/');
    const failure = await rejection((await open(url))(getting(url)));
    // Without any name server the name cannot even be looked up.
    expect(['resolve', 'connect']).toContain(Reflect.get(Object(failure), 'reason'));
    expect(failure).toMatchObject({ sent: false });
  });

  it.each([
    ['https', { connectMs: 30 }, { reason: 'connect-timeout', sent: false }],
    ['http', { firstByteMs: 30 }, { reason: 'first-byte-timeout', sent: true }],
  ])('over %s does not wait longer than its limit: %j', async (protocol, limits, expected) => {
    const { url } = await peer((socket) => socket.resume());
    url.protocol = protocol;
    const silent = getting(url, { timeouts: { ...patient, ...limits } });
    expect(await rejection((await open(url))(silent))).toMatchObject(expected);
  });

  it('counts the wait for the first byte from the last byte sent', async () => {
    const { url } = await peer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        if (chunk.includes('last')) socket.end(whole('true'));
      });
    });
    const body: StreamedBody = {
      length: 8,
      open: async function* () {
        yield Buffer.from('frst');
        await new Promise((resolve) => setTimeout(resolve, 120));
        yield Buffer.from('last');
      },
    };
    const timeouts = { ...patient, firstByteMs: 60 };
    const response = await (await open(url))(posting(url, body, { timeouts }));
    expect(await textOf(response)).toBe('true');
  });
});

describe.each(transports)('%s: an attempt that is aborted', (_, open) => {
  it('does not begin when it is aborted before', async () => {
    const { url, sockets } = await peer(answering(whole('x')));
    const signal = AbortSignal.abort();
    const failure = await rejection((await open(url))(getting(url, { signal })));
    expect(failure).toMatchObject({ reason: 'aborted', sent: false });
    expect(sockets.filter((socket) => socket.bytesRead > 0)).toEqual([]);
  });

  it('ends at once while it waits, and hangs up', async () => {
    const abort = new AbortController();
    const { url, sockets } = await peer((socket) => onHead(socket, () => abort.abort()));
    const failure = await rejection((await open(url))(getting(url, { signal: abort.signal })));
    expect(failure).toMatchObject({ reason: 'aborted', sent: true });
    await closed(sockets[0]);
  });

  it('ends at once in the middle of the body, and hangs up', async () => {
    const abort = new AbortController();
    const { url, sockets } = await peer(
      answering('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc', 'keep'),
    );
    const response = await (await open(url))(getting(url, { signal: abort.signal }));
    const failure = await rejection(response.pipe(() => abort.abort()));
    expect(failure).toMatchObject({ name: 'BodyCut', reason: 'aborted' });
    await closed(sockets[0]);
  });
});
