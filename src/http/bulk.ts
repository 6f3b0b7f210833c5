/** A line for one large answer, as `exchange` uses it. */
import { bulkSource } from './bulk-body.js';
import { BulkLine } from './bulk-line.js';
import { connect, type Connecting } from './connect.js';
import type { Line } from './exchange.js';

/** @throws AttemptFailed, never with anything sent. */
export async function openBulkLine(url: URL, connecting: Omit<Connecting, 'proxy'>): Promise<Line> {
  const line = new BulkLine();
  line.attach(await connect(url, { ...connecting, onread: line.onread }));
  return {
    socket: line,
    release: () => line.destroy(),
    bulk: {
      hold: () => line.hold(),
      source: (answer, finish) => bulkSource(line, answer, finish),
    },
  };
}
