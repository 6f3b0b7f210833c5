import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import type { LedgerEvent } from '../../src/state/ledger-events.js';
import { openLedger } from '../../src/state/ledger.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

const wanted = (intent: string, body = '{}'): LedgerEvent => ({
  type: 'wanted',
  intent,
  atMs: 1000,
  kind: 'generate',
  account: accountOf('default', 'https://service.test', 'sk-svc-key'),
  model: 'vendor/video',
  wish: 'w',
  headers: {},
  body,
});

describe('a ledger that is looked into often', () => {
  it('reads only what is new, whoever wrote it', () => {
    const paths = pathsFrom({ SVC_CONFIG_DIR: testFolder() });
    const ledger = openLedger(paths);
    ledger.append(wanted('a'));
    expect(ledger.jobs().map(({ intent }) => intent)).toEqual(['a']);
    // What stands there already is not looked at again.
    const text = readFileSync(ledger.path, 'utf8');
    writeFileSync(ledger.path, text.replace('"a"', '"z"'));
    openLedger(paths).append(wanted('b'));
    expect(ledger.jobs().map(({ intent }) => intent)).toEqual(['a', 'b']);
    expect(ledger.jobs().map(({ intent }) => intent)).toEqual(['a', 'b']);
  });

  it('takes a line when it has ended, and spoils none for a torn one', () => {
    const paths = pathsFrom({ SVC_CONFIG_DIR: testFolder() });
    const ledger = openLedger(paths);
    ledger.append(wanted('a'));
    const line = JSON.stringify(wanted('ü'));
    appendFileSync(ledger.path, `\n${line.slice(0, 40)}`);
    expect(ledger.jobs()).toHaveLength(1);
    appendFileSync(ledger.path, line.slice(40));
    expect(ledger.jobs().map(({ intent }) => intent)).toEqual(['a', 'ü']);
    ledger.append({ type: 'accepted', intent: 'ü', atMs: 2000, jobId: 'job_1' });
    expect(ledger.jobs().map(({ jobId }) => jobId)).toEqual([undefined, 'job_1']);
  });

  it('counts damaged lines once, but no empty one, no newer kind and none that is being written', () => {
    const ledger = openLedger(pathsFrom({ SVC_CONFIG_DIR: testFolder() }));
    ledger.append(wanted('a'));
    expect(ledger.unreadable()).toBe(0);
    appendFileSync(ledger.path, '\n \n{"type":"future","intent":"a","atMs":1}\n');
    appendFileSync(
      ledger.path,
      'x\n{}\n[]\n{"type":"accepted","intent":"a","atMs":1}\n{"type":"wan',
    );
    expect(ledger.unreadable()).toBe(4);
    expect(ledger.unreadable()).toBe(4);
    // The line that was being written is torn for good.
    ledger.append(wanted('b'));
    expect(ledger.unreadable()).toBe(5);
    expect(ledger.jobs().map(({ intent }) => intent)).toEqual(['a', 'b']);
    rmSync(ledger.path);
    expect(ledger.unreadable()).toBe(0);
  });

  it('begins anew with a ledger that has become shorter', () => {
    const ledger = openLedger(pathsFrom({ SVC_CONFIG_DIR: testFolder() }));
    ledger.append(wanted('a'));
    ledger.append(wanted('b'));
    expect(ledger.jobs()).toHaveLength(2);
    writeFileSync(ledger.path, `${JSON.stringify(wanted('c'))}\n`);
    expect(ledger.jobs().map(({ intent }) => intent)).toEqual(['c']);
    rmSync(ledger.path);
    expect(ledger.jobs()).toEqual([]);
  });

  it('makes a job anew only when something was written about it', () => {
    const ledger = openLedger(pathsFrom({ SVC_CONFIG_DIR: testFolder() }));
    ledger.append(wanted('a'));
    ledger.append(wanted('b'));
    const [a, b] = ledger.jobs();
    ledger.append({ type: 'accepted', intent: 'b', atMs: 2000, jobId: 'job_1' });
    const after = ledger.jobs();
    expect(after[0]).toBe(a);
    expect(after[1]).toMatchObject({ intent: 'b', jobId: 'job_1' });
    expect(b).toMatchObject({ intent: 'b', jobId: undefined });
  });

  it('reads lines of many megabytes whole, wherever a piece of the file ends', () => {
    const ledger = openLedger(pathsFrom({ SVC_CONFIG_DIR: testFolder() }));
    // Of two bytes each, and of odd lengths, so that pieces end within a letter, too.
    const bodies = Array.from({ length: 120 }, (_, nth) => `${String(nth)}${'ü'.repeat(12_345)}`);
    for (const [nth, body] of bodies.entries()) ledger.append(wanted(String(nth), body));
    ledger.append(wanted('long', 'ü'.repeat(2_000_000)));
    const read = ledger.jobs().map(({ body }) => body);
    expect(read.slice(0, -1)).toEqual(bodies);
    expect(read.at(-1)).toHaveLength(2_000_000);
  });

  it('forgets the request once the service has the job', () => {
    const ledger = openLedger(pathsFrom({ SVC_CONFIG_DIR: testFolder() }));
    ledger.append(wanted('a'));
    ledger.append({ type: 'dropped', intent: 'a', atMs: 2000, why: 'refused' });
    // Another process knows better, and has to be able to send it again.
    ledger.append({ type: 'uncertain', intent: 'a', atMs: 3000, isUnanswered: true });
    expect(ledger.jobs()).toMatchObject([{ state: 'uncertain', body: '{}' }]);
    ledger.append({ type: 'accepted', intent: 'a', atMs: 4000, jobId: 'job_1' });
    expect(ledger.jobs()).toMatchObject([{ jobId: 'job_1', body: undefined }]);
  });
});
