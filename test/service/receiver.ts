/** A receiver of notifications on this machine. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly path: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers next; 200 once there is none. */
  readonly answers: number[];
  /** Resolves when this many have come. */
  count(wanted: number): Promise<void>;
}

export async function receiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  let wake: () => void = () => undefined;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { headers, url = '' } = request;
      received.push({
        headers: plain(headers),
        body: Buffer.concat(pieces).toString('utf8'),
        path: url,
      });
      const status = answers.shift() ?? 200;
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('thanks');
      wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const count = async (wanted: number) => {
    while (received.length < wanted) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { url: `http://127.0.0.1:${port}/hook`, received, answers, count };
}

function plain(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
