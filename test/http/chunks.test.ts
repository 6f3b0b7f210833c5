import http from 'node:http';
import { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { joinChunks } from '../../src/http/chunks.js';
import { firstCodeOf } from '../../src/http/failure.js';
import { cutAnywhere, cutToBytes, seeded } from '../helpers/random.js';

/** How a client reads an answer that arrives in these pieces; codes of the parser are one. */
async function readingOf(answer: readonly Buffer[], isJoined: boolean) {
  const socket = new Duplex({ read: () => undefined, write: (_, _encoding, done) => done() });
  const wire = http.request({ createConnection: () => socket, method: 'POST' });
  if (isJoined) joinChunks(wire);
  const reading = { body: '', pieces: 0, trailers: {}, failures: new Set<string>() };
  const fail = (error: unknown) =>
    reading.failures.add(firstCodeOf(error).replace(/^HPE_.*/, 'malformed'));
  await new Promise((resolve) => {
    wire.on('error', fail).on('close', resolve).end();
    wire.once('response', (incoming) => {
      incoming.on('error', fail).on('data', (piece: Buffer) => {
        reading.body += piece.toString('latin1');
        reading.pieces += 1;
      });
      incoming.once('end', () => Object.assign(reading.trailers, incoming.trailers));
    });
    wire.once('socket', () => {
      // Each reader gets its own copy.
      for (const piece of answer) socket.push(Buffer.from(piece));
      socket.push(null);
    });
  });
  return reading;
}

const head = (...fields: string[]) => ['HTTP/1.1 200 OK', ...fields, '', ''].join('\r\n');
const chunked = head('Transfer-Encoding: chunked');
const events = `5\r\ndata:\r\n1A\r\n${'x'.repeat(26)}\r\n`;
const answers = {
  'plain chunks': `${chunked}${events}0\r\n\r\n`,
  'a line end within data': `${chunked}8\r\n\r\n0\r\n\r\n5\r\n${events}0\r\n\r\n`,
  'leading zeros': `${chunked}${events}005\r\ndata:\r\n0000000005\r\ndata:\r\n${events}0\r\n\r\n`,
  extensions: `${chunked}${events}5;a=b\r\ndata:\r\n5;c="d"\r\ndata:\r\n${events}0\r\n\r\n`,
  trailers: `${chunked}${events}0\r\nx-sum: 7\r\n\r\n`,
  'no end': `${chunked}${events}`,
  'an end within a chunk': `${chunked}${events}5\r\nda`,
  'an end within a size': `${chunked}${events}1`,
  'a chunk that is too long': `${chunked}${events}5\r\ndata:1\r\n${events}0\r\n\r\n`,
  'a chunk that is too short': `${chunked}${events}6\r\ndata:\r\n${events}0\r\n\r\n`,
  'other bytes after data': `${chunked}5\r\ndata:xx${events}0\r\n\r\n`,
  'line feeds only': `${chunked}${events}5\ndata:\n0\n\n`,
  'a line feed after data': `${chunked}${events}5\r\ndata:\n5\r\ndata:\r\n0\r\n\r\n`,
  'a lone carriage return': `${chunked}${events}5\rdata:\r\n0\r\n\r\n`,
  'no size': `${chunked}${events}\r\ndata:\r\n0\r\n\r\n`,
  'a size with a sign': `${chunked}${events}-5\r\ndata:\r\n0\r\n\r\n`,
  'a size with a blank': `${chunked}${events} 5\r\ndata:\r\n0\r\n\r\n`,
  'a size in C': `${chunked}${events}0x5\r\ndata:\r\n0\r\n\r\n`,
  'a size without end': `${chunked}${events}${'f'.repeat(40)}\r\ndata:\r\n0\r\n\r\n`,
  'bytes after the end': `${chunked}${events}0\r\n\r\n5\r\ndata:\r\n`,
  'a length': `${head('Content-Length: 5')}data:`,
  'a length and chunks': `${head('Content-Length: 5', 'Transfer-Encoding: chunked')}${events}`,
  'two encodings': `${head('Transfer-Encoding: gzip, chunked')}${events}0\r\n\r\n`,
  'an encoding that is unknown': `${head('Transfer-Encoding: chunked, x')}${events}0\r\n\r\n`,
  'neither length nor chunks': `${head('x: y')}${events}`,
  'no body': 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n',
  'an answer before': `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\na: b\r\n\r\n${chunked}${events}0\r\n\r\n`,
  'HTTP 1.0': `${chunked.replace('1.1', '1.0')}${events}0\r\n\r\n`,
  'a head with line feeds': `${chunked.replaceAll('\r', '')}${events}0\r\n\r\n`,
  'no head': events,
};

describe.each(Object.entries(answers))('an answer with %s', (_, text) => {
  const bytes = Buffer.from(text, 'latin1');

  test('is read as node:http reads it, wherever it is cut', async () => {
    const cuts = Array.from({ length: 20 }, (_, seed) => cutAnywhere(bytes, seeded(seed), 4));
    for (const pieces of [[bytes], cutToBytes(bytes), ...cuts]) {
      const expected = await readingOf(pieces, false);
      expect({ ...(await readingOf(pieces, true)), pieces: expected.pieces }).toEqual(expected);
    }
  });
});

test('chunks that arrive together are one piece', async () => {
  const body = Buffer.from(`${events.repeat(1000)}0\r\n\r\n`);
  const { body: text, pieces } = await readingOf([Buffer.from(chunked), body], true);
  expect([text.length, pieces]).toEqual([31_000, 1]);
});
