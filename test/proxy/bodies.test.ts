import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../src/http/types.js';
import { BodyRoom } from '../../src/proxy/body.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { keys } from '../service/helpers.js';
import { chatHead, dial } from '../service/raw-connection.js';
import { startPeer } from '../service/sdk/peer.js';
import { clientFor, question, runKey, startProxy } from './rig.js';

const mib = 1024 * 1024;

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  // The memory of a piece is used again.
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return Buffer.concat(all);
}

async function* cut(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length)
    yield await Promise.resolve(bytes.subarray(at, at + length));
}

/** The files without a name that this process has open. */
function namelessFiles(): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  return links.filter((link) => /\/svc-request-\w+\/request \(deleted\)$/.test(link)).length;
}

/** A recording that the embedded service accepts: silence. */
function wav(seconds: number): Buffer {
  const data = Buffer.alloc(8000 * seconds * 2);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

function form(recording: Buffer): FormData {
  const data = new FormData();
  data.set('model', 'local/transcribe');
  data.set('file', new Blob([new Uint8Array(recording)], { type: 'audio/wav' }), 'a.wav');
  return data;
}

describe('a room for bodies', () => {
  it.runIf(process.platform === 'linux')(
    'holds 100 large ones in files that nobody else can open, and frees all',
    async () => {
      const room = new BodyRoom();
      const bodies = Array.from({ length: 100 }, () => randomBytes(mib));
      const held = await Promise.all(bodies.map((body) => room.hold(cut(body, 60_000))));
      expect(room.takenBytes).toBeLessThanOrEqual(8 * mib);
      const inFiles = held.filter(({ payload }) => !Buffer.isBuffer(payload)).length;
      expect(inFiles).toBeGreaterThanOrEqual(92);
      expect(namelessFiles()).toBe(inFiles);
      for (const [at, { payload, text }] of held.entries()) {
        const body = bodies[at] ?? Buffer.alloc(0);
        expect(payload.length).toBe(mib);
        expect((await bytesOf(piecesOf(payload))).equals(body)).toBe(true);
        expect((await bytesOf(piecesOf(payload))).equals(body)).toBe(true);
        if (at % 20 === 0) expect(text()).toBe(body.toString('utf8'));
      }
      await Promise.all(held.map((one) => one.close()));
      await held[0]?.close();
      expect([room.takenBytes, namelessFiles()]).toEqual([0, 0]);
    },
  );

  it('puts one that is larger than its share into a file, whatever is free', async () => {
    const room = new BodyRoom();
    const body = randomBytes(5 * mib);
    const held = await room.hold(cut(body, 100_000));
    expect([Buffer.isBuffer(held.payload), room.takenBytes]).toEqual([false, 0]);
    expect((await bytesOf(piecesOf(held.payload))).equals(body)).toBe(true);
    await held.close();
  });

  it('keeps nothing of one that breaks off', async () => {
    const room = new BodyRoom();
    for (const length of [mib, 5 * mib]) {
      const broken = async function* () {
        yield* cut(randomBytes(length), 100_000);
        throw new Error('it broke off');
      };
      await expect(room.hold(broken())).rejects.toThrow('it broke off');
    }
    expect([room.takenBytes, namelessFiles()]).toEqual([0, 0]);
  });
});

describe('the body of a request', () => {
  it('is unpacked where it came compressed', async () => {
    const service = await fakeService(json({ id: 'c', choices: [] }));
    const proxy = await startProxy(await clientFor(service.origin));
    const body = JSON.stringify(question);
    const packed = { gzip: gzipSync(body), br: brotliCompressSync(body) };
    for (const [encoding, bytes] of Object.entries(packed)) {
      const headers = { 'content-encoding': encoding, 'content-type': 'application/json' };
      const init = { method: 'POST', body: new Uint8Array(bytes), headers };
      expect((await proxy.ask('/v1/chat/completions', init)).status).toBe(200);
    }
    expect(service.requests.map((request) => request.body)).toEqual([body, body]);
    expect(service.requests[0]?.headers).not.toHaveProperty('content-encoding');
  });

  it.each([
    ['zstd', 'the content-encoding \\"zstd\\" is not supported'],
    ['gzip', 'the request body is not valid \\"gzip\\"'],
  ])('is refused in words where it cannot be unpacked: %s', async (encoding, words) => {
    const service = await fakeService(json({}));
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat(question, { headers: { 'content-encoding': encoding } });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(words);
    expect(service.requests).toEqual([]);
    expect(proxy.ended).toMatchObject([{ status: 400, priceRub: 0 }]);
  });

  it('is refused with 413 beyond 32 MiB of JSON', async () => {
    const service = await fakeService(json({}));
    const proxy = await startProxy(await clientFor(service.origin));
    const answer = await proxy.chat(question, { body: 'x'.repeat(32 * mib + 1) });
    expect(answer.status).toBe(413);
    expect(service.requests).toEqual([]);
  });

  it('that nests to break its reader is refused where it must be read', async () => {
    const service = await fakeService(json({}));
    const proxy = await startProxy(await clientFor(service.origin, { maxCost: 1 }));
    const answer = await proxy.chat(question, { body: '['.repeat(100_000) });
    expect(answer.status).toBe(400);
    expect(service.requests).toEqual([]);
  });

  it('that the program gives up is not sent', async () => {
    const service = await fakeService(json({}));
    const proxy = await startProxy(await clientFor(service.origin));
    const line = await dial(proxy.port);
    const head = [...chatHead(proxy.port, 1000, runKey), 'expect: 100-continue', '', ''];
    line.socket.write(head.join('\r\n'));
    await line.until('100 Continue');
    line.socket.write('{"model"', () => line.socket.destroy());
    expect(await proxy.endOf(1)).toMatchObject([{ status: 0, priceRub: 0, isWhole: false }]);
    expect(service.requests).toEqual([]);
  });

  it('of a large form is passed byte for byte', async () => {
    const service = await fakeService(json({ id: 'file_1' }));
    const proxy = await startProxy(await clientFor(service.origin));
    const body = new Uint8Array(randomBytes(9 * mib));
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await proxy.ask('/v1/files', { method: 'POST', body, headers });
    expect(answer.status).toBe(200);
    expect(service.requests[0]?.bytes.equals(body)).toBe(true);
    expect(service.requests[0]?.headers['content-type']).toBe(headers['content-type']);
    await proxy.endOf(1);
    expect(namelessFiles()).toBe(0);
  });

  it.each([
    ['small', 2],
    ['large', 300],
  ])('of a %s form is priced under a ceiling', async (_name, seconds) => {
    const peer = await startPeer();
    const init = () => ({ method: 'POST', body: form(wav(seconds)) });
    const path = '/v1/audio/transcriptions';
    const rich = await startProxy(await clientFor(peer.url, { maxCost: 100 }, keys.local));
    const answer = await rich.ask(path, init());
    expect(answer.status, await answer.text()).toBe(200);
    await rich.proxy.end(3000);
    expect(rich.proxy.totals.all.priceRub).toBeGreaterThan(0);
    const poor = await startProxy(await clientFor(peer.url, { maxCost: 0.000001 }, keys.local));
    const refusal = await poor.ask(path, init());
    expect(refusal.status).toBe(402);
    expect(await refusal.text()).toContain('this request may cost up to');
  });

  it('of several MiB is read for its price, and passed byte for byte', async () => {
    const peer = await startPeer();
    const client = await clientFor(peer.url, { maxCost: 100_000 }, keys.local);
    const proxy = await startProxy(client);
    const content = 'x'.repeat(6 * mib);
    const body = { ...question, messages: [{ role: 'user', content }] };
    const answer = await proxy.chat(body);
    expect(answer.status, (await answer.text()).slice(0, 300)).toBe(200);
    await proxy.endOf(1);
    expect(proxy.ended[0]?.model).toBe('local/echo');
    expect(namelessFiles()).toBe(0);
  });
});
