import { describe, expect, test } from 'vitest';
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import { type Endpoint, statusMeanings } from '../../src/contract/endpoint.js';
import { endpoints } from '../../src/contract/index.js';
import { lines } from './specification.js';

const rows: readonly Endpoint[] = endpoints;
const brand = brandFrom(defaultBrand);
const nameOf = ({ method, path }: { method: string; path: string }) =>
  `${method} ${brand.path(path)}`;
const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);
const ids = (chosen: readonly Endpoint[]) => chosen.map((row) => row.id).sort();

const authWords = {
  bearer: 'Bearer',
  key: 'Key',
  none: 'none',
  signature: 'none; query sig required',
  session: 'cabinet session',
} as const;

function authColumn({ auth, orSession }: Endpoint): string {
  return orSession ? `${authWords[auth]} (or cabinet session)` : authWords[auth];
}

describe('the rows and section 4 of the specification', () => {
  test('every endpoint of the specification has a row, and every row has an endpoint', () => {
    expect(rows.map(nameOf).sort()).toEqual(lines.map(nameOf).sort());
  });

  test.each(lines.map((line) => [nameOf(line), line] as const))(
    '%s cites its section and has its authentication and statuses',
    (name, line) => {
      const row = rows.find((candidate) => nameOf(candidate) === name);
      if (!row) throw new Error(`no row for ${name}`);
      expect(row.section).toBe(line.section);
      expect(authColumn(row)).toBe(line.auth);
      if (line.statuses) expect(sorted(row.statuses)).toEqual(sorted(line.statuses));
    },
  );

  test('the status of success is the first that the specification names', () => {
    const firsts = Object.fromEntries(rows.map((row) => [nameOf(row), row.statuses[0]]));
    for (const line of lines) expect(firsts[nameOf(line)]).toBe(line.statuses?.[0] ?? 200);
  });
});

describe('the rows among themselves', () => {
  test('no two rows share an id', () => {
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  test('every status has a meaning', () => {
    for (const status of rows.flatMap((row) => row.statuses)) {
      expect(statusMeanings).toHaveProperty(String(status));
    }
  });

  test('notes stand only on statuses that the row lists', () => {
    for (const row of rows) {
      const noted = Object.keys(row.statusNotes ?? {}).map(Number);
      expect(row.statuses).toEqual(expect.arrayContaining(noted));
    }
  });

  test('every read and every delete may be sent again', () => {
    const repeatable = rows.filter(({ method }) => method === 'GET' || method === 'DELETE');
    expect(repeatable.length).toBeGreaterThan(20);
    for (const row of repeatable) expect([row.id, row.retry]).toEqual([row.id, 'safe']);
  });

  test('of the posts only the estimate, the quotes and closing a ticket may be sent again freely', () => {
    const safe = rows.filter(({ method, retry }) => method === 'POST' && retry === 'safe');
    expect(ids(safe)).toEqual([
      'chat.countTokens',
      'media.extendPrice',
      'media.price',
      'media.publicPrice',
      'tickets.close',
    ]);
  });

  test('only a media job and a new ticket carry a token that makes them safe to repeat', () => {
    expect(ids(rows.filter(({ retry }) => retry === 'idempotent'))).toEqual([
      'media.generate',
      'tickets.create',
    ]);
    expect(rows.find(({ id }) => id === 'media.generate')?.headers).toHaveProperty(
      'idempotency-key',
    );
  });

  test('beyond the specification, paid rows that are sent once know an Idempotency-Key', () => {
    const extended = rows.filter(({ headers = {} }) => 'Idempotency-Key' in headers);
    expect(ids(extended)).toEqual([
      'audio.speech',
      'audio.transcription',
      'images.create',
      'media.extend',
      'voices.create',
    ]);
    for (const row of extended) expect([row.id, row.retry]).toEqual([row.id, 'never']);
  });

  test('what is made while the caller waits has minutes for its first byte', () => {
    expect(ids(rows.filter(({ slow }) => slow === true))).toEqual([
      'audio.speech',
      'audio.transcription',
      'images.create',
      'voices.addSamples',
      'voices.create',
    ]);
  });

  test('files travel where the specification says multipart, with its limits', () => {
    const uploads = Object.fromEntries(
      rows.flatMap((row) => (row.files ? [[row.id, { kind: row.bodyKind, ...row.files }]] : [])),
    );
    const tenMb = 10_485_760;
    const file = { kind: 'multipart', field: 'file', required: true, maxCount: 1 };
    const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
    const kind = 'json-or-multipart';
    const limits = { maxCount: 5, maxBytes: tenMb, types: images };
    const attachments = { kind, field: 'files', required: false, ...limits };
    expect(uploads).toEqual({
      'audio.transcription': { ...file, maxBytes: 5 * tenMb },
      'tickets.create': attachments,
      'tickets.reply': attachments,
      'files.upload': file,
    });
  });

  test('every row that may answer 402 is paid, except the price of a job', () => {
    const may402 = rows.filter(({ statuses, moreStatuses = [] }) =>
      [...statuses, ...moreStatuses].includes(402),
    );
    const paid = rows.filter((row) => row.paid !== undefined).map(({ id }) => id);
    expect(may402.map(({ id }) => id).filter((id) => id !== 'media.price')).toEqual(paid);
    expect(paid).toHaveLength(13);
  });
});
