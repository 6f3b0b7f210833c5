import { readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import { Ledger } from '../../src/state/ledger.js';
import { isUnfinished, type LedgerEvent, type WantedEvent } from '../../src/state/ledger-job.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';
import { changeLedger } from '../helpers/state.js';

const account = accountOf('default', 'https://service.test', 'sk-svc-key');

function wanted(intent: string, more: Partial<WantedEvent> = {}): WantedEvent {
  return {
    type: 'wanted',
    intent,
    atMs: 1000,
    kind: 'generate',
    account,
    model: 'vendor/video',
    hash: 'w',
    headers: {},
    body: '{"model":"vendor/video"}',
    ...more,
  };
}

const accepted = (intent: string, jobId: string, atMs = 2000): LedgerEvent => ({
  type: 'accepted',
  intent,
  atMs,
  jobId,
  status: 'processing',
  priceRub: 12.5,
});
const told = (intent: string, status: string, more: object = {}): LedgerEvent => ({
  type: 'reported',
  intent,
  atMs: 9000,
  status,
  ...more,
});

function ledgerIn(home: string) {
  const paths = pathsFrom({ SVC_CONFIG_DIR: home });
  return { ledger: new Ledger(paths), home, folder: paths.data };
}

function ledgerWith(...events: LedgerEvent[]) {
  const opened = ledgerIn(testFolder());
  for (const event of events) opened.ledger.append(event);
  return opened;
}

describe('the ledger', () => {
  it('keeps a request byte for byte, lone surrogates, line feeds and all', () => {
    const body = JSON.stringify({ model: 'm', prompt: 'a\n"b" \ud800 é 🌍\u0000\u2028' });
    const { ledger } = ledgerWith(wanted('k', { body, headers: { 'x-{brand}-strict': '1' } }));
    expect(ledger.jobs()).toMatchObject([
      { intent: 'k', body, headers: { 'x-{brand}-strict': '1' }, state: 'sending' },
    ]);
  });

  it('holds no key, only a short hash of it', () => {
    const { ledger } = ledgerWith(wanted('k'));
    const written = [ledger.path, `${ledger.path}-wal`].map((path) => readFileSync(path, 'latin1'));
    expect(written.join('')).toContain(account.keyHash);
    expect(written.join('')).not.toContain('sk-svc-key');
    expect(account.keyHash).toMatch(/^[0-9a-f]{12}$/);
  });

  it('skips invalid events, and counts them', () => {
    const { ledger, home } = ledgerWith(wanted('k'));
    const damaged = ['', '[]', '{"type":"future","intent":"k","atMs":1}', '{"type":"accepted"}'];
    changeLedger(home, (texts) => [...texts, ...damaged]);
    const again = ledgerIn(home).ledger;
    again.append(accepted('k', 'job_1'));
    expect(again.jobs()).toMatchObject([{ intent: 'k', jobId: 'job_1' }]);
    expect([ledger.unreadable(), again.unreadable()]).toEqual([damaged.length, damaged.length]);
  });

  it('keeps requests without a media job apart', () => {
    const { ledger, home } = ledgerWith(wanted('k'));
    const requests = new Ledger(pathsFrom({ SVC_CONFIG_DIR: home }), 'requests');
    expect(requests.jobs()).toEqual([]);
    requests.append(wanted('r'));
    expect([ledger, requests].map((one) => one.jobs().length)).toEqual([1, 1]);
  });

  it('forgets the request once the service has the job', () => {
    const { ledger } = ledgerWith(wanted('a'));
    ledger.append({ type: 'dropped', intent: 'a', atMs: 2000, why: 'refused' });
    // Another process knows better, and has to be able to send it again.
    ledger.append({ type: 'uncertain', intent: 'a', atMs: 3000, isUnanswered: true });
    expect(ledger.jobs()).toMatchObject([{ state: 'uncertain', body: wanted('a').body }]);
    ledger.append(accepted('a', 'job_1'));
    expect(ledger.jobs()).toMatchObject([{ jobId: 'job_1' }]);
    expect(ledger.jobs()[0]).not.toHaveProperty('body');
  });
});

describe('a job in the ledger', () => {
  const jobAfter = (...events: LedgerEvent[]) => {
    const [job] = ledgerWith(wanted('k'), ...events).ledger.jobs();
    if (!job) throw new Error('no job');
    return job;
  };
  const dropped = (why: 'refused' | 'not_sent'): LedgerEvent => ({
    type: 'dropped',
    intent: 'k',
    atMs: 3000,
    why,
    code: 'quote_stale',
    message: 'the quote has expired',
  });
  const uncertain = (isUnanswered: boolean, atMs = 3000): LedgerEvent => ({
    type: 'uncertain',
    intent: 'k',
    atMs,
    isUnanswered,
  });

  it.each([
    [true, []],
    [true, [uncertain(true)]],
    [false, [dropped('refused')]],
    [false, [dropped('not_sent')]],
    [false, [accepted('k', 'job_1')]],
  ])('is unfinished (%j) until something is known about it', (expected, events) => {
    expect(isUnfinished(jobAfter(...events))).toBe(expected);
  });

  it.each([
    ['a refusal', dropped('refused')],
    ['an attempt that never left', dropped('not_sent')],
    ['an attempt without an answer', uncertain(true)],
    ['another id', accepted('k', 'job_2')],
  ])('keeps the id it has, whatever another process writes of %s', (_, event) => {
    for (const events of [
      [accepted('k', 'job_1'), event],
      [uncertain(true), accepted('k', 'job_1'), event],
    ]) {
      expect(jobAfter(...events)).toMatchObject({ jobId: 'job_1', state: 'processing' });
    }
  });

  it('gets the id that comes after a refusal of another process', () => {
    const job = jobAfter(dropped('refused'), accepted('k', 'job_1'));
    expect(job).toMatchObject({ jobId: 'job_1', state: 'processing' });
    for (const name of ['code', 'message']) expect(job).not.toHaveProperty(name);
  });

  it('stays ended when a slower process reports an earlier state', () => {
    const job = jobAfter(accepted('k', 'job_1'), told('k', 'success'), told('k', 'processing'));
    expect(job.state).toBe('success');
  });

  it('remembers when a request last went out without an answer', () => {
    expect(jobAfter().unansweredAtMs).toBe(1000);
    expect(jobAfter(uncertain(true, 4000)).unansweredAtMs).toBe(4000);
    expect(jobAfter(uncertain(true, 4000), uncertain(false, 9000)).unansweredAtMs).toBe(4000);
  });

  it('may be requested again under the key of a refused one, but not of an accepted one', () => {
    const again = wanted('k', { body: 'new', atMs: 5000 });
    expect(jobAfter(dropped('refused'), again)).toMatchObject({ state: 'sending', body: 'new' });
    expect(jobAfter(accepted('k', 'job_1'), again)).toMatchObject({ jobId: 'job_1' });
    expect(jobAfter(accepted('k', 'job_1'), again).body).not.toBe('new');
  });
});

describe('a large request beside the ledger', () => {
  async function* pieces(...texts: string[]) {
    const buffer = Buffer.alloc(16);
    // The same memory each time, as a file is read.
    for (const text of texts) yield buffer.subarray(0, buffer.write(text));
  }

  it('is kept byte for byte, for its owner alone', async () => {
    const { ledger, folder } = ledgerIn(testFolder());
    const kept = await ledger.bodies.keep(pieces('héllo ', 'wörld'));
    const path = ledger.bodies.pathOf(kept);
    expect(readFileSync(path, 'utf8')).toBe('héllo wörld');
    expect(kept.bytes).toBe(13);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'jobs')).mode & 0o777).toBe(0o700);
    expect(ledger.bodies.isWhole(kept)).toBe(true);
  });

  it('is removed when it is old and no job needs it', async () => {
    const { ledger, folder } = ledgerIn(testFolder());
    const [old, wantedOld, fresh] = [
      await ledger.bodies.keep(pieces('old')),
      await ledger.bodies.keep(pieces('wanted')),
      await ledger.bodies.keep(pieces('fresh')),
    ];
    writeFileSync(join(folder, 'jobs', 'notes.txt'), 'mine');
    for (const body of [old, wantedOld]) utimesSync(ledger.bodies.pathOf(body), 1, 1);
    utimesSync(join(folder, 'jobs', 'notes.txt'), 1, 1);
    ledger.bodies.sweep([wantedOld], Date.now());
    expect(readdirSync(join(folder, 'jobs')).sort()).toEqual(
      [wantedOld.name, fresh.name, 'notes.txt'].sort(),
    );
  });
});
