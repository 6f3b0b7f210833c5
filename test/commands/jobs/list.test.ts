import { join } from 'node:path';
import { newOwner } from '../../../src/files/owner.js';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../helpers/fake-media.js';
import { SkippingClock } from '../../helpers/manual-clock.js';
import { scene } from '../generate/scene.js';
import { badGateway, begun, state } from './begun.js';
import { changeLedger, ledgerTexts } from '../../helpers/state.js';
import { jsonOf } from '../../helpers/run.js';

describe('svc jobs list', () => {
  it('shows a user what is in progress and what has ended, newest first', async () => {
    const at = await begun('a', 'b');
    state(at, 0, { status: 'processing' });
    at.clock.pass(125_000);
    const { code, stdout, stderr } = await at.svc('jobs list', { tty: { stdout: true } });
    const left = '1 job to download: svc jobs download --all\n';
    expect({ code, stderr }).toEqual({ code: 0, stderr: left });
    expect(stdout.replace(/in \d+ d/, 'in N d')).toBe(
      [
        'JOB    MODEL          STATE        PRICE  CREATED    FILES  EXPIRES      PROMPT',
        'job_2  vendor/canvas  done     12.50 RUB  2 min ago  0/1    in N d  b',
        'job_1  vendor/canvas  running  12.50 RUB  2 min ago  -      -            a',
        '',
      ].join('\n'),
    );
  });

  it('gives a pipe the same, tab by tab, and a program all that is known', async () => {
    const at = await begun('a');
    expect((await at.svc('jobs list')).stdout).toMatch(
      /^job_1\tvendor\/canvas\tdone\t12.5\t2026-11-21T18:43:00.000Z\t0\/1\t2999-01-01T00:00:00.000Z\ta\n$/,
    );
    expect(await jsonOf(at.svc('jobs list --json'))).toEqual([
      {
        id: 'job_1',
        key: at.keys()[0],
        kind: 'generate',
        model: 'vendor/canvas',
        prompt: 'a',
        provider: 'canvas',
        requestedModel: 'vendor/canvas',
        effectiveModel: 'vendor/canvas',
        addressAs: 'vendor/canvas:a',
        providerAlias: 'canvas',
        state: 'done',
        status: 'success',
        cost: { priceRub: 12.5, quotedRub: 12.5 },
        createdAt: '2026-11-21T18:43:00.000Z',
        finishedAt: '2026-11-21T18:43:00.000Z',
        results: 1,
        resultsExpireAt: '2999-01-01T00:00:00.000Z',
        files: [],
        profile: 'default',
        service: at.origin,
      },
    ]);
  });

  it('lists only so many of the newest as --limit says', async () => {
    const at = await begun('a', 'b', 'c');
    const { stdout, stderr } = await at.svc('jobs list --limit 2', { tty: { stdout: true } });
    expect(stdout.match(/^job_\d/gm)).toEqual(['job_3', 'job_2']);
    expect(stderr).not.toContain('old or refused');
    expect(await jsonOf(at.svc('jobs list --limit 1 --json'))).toMatchObject([{ id: 'job_3' }]);
  });

  it('fits narrow screens, names jobs by what their commands accept, and says what it leaves out', async () => {
    const at = await begun('a lighthouse in a storm');
    await at.svc('jobs list');
    at.clock.pass(8 * 24 * 60 * 60_000);
    await at.svc(['generate', 'vendor/canvas', 'a harbour', '--no-wait', '-q']);
    expect(await at.svc('jobs list', { tty: { stdout: true }, columns: 40 })).toMatchObject({
      stdout: 'JOB    STATE      PRICE  PROMPT\njob_2  done   12.50 RUB  a harbour\n',
      stderr:
        '1 job to download: svc jobs download --all\n1 more, old or refused: svc jobs list --all\n',
    });
  });

  it('is empty on a fresh machine, and says so to a person', async () => {
    const at = await scene();
    expect(await at.svc('jobs list')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const { stderr } = await at.svc('jobs list', { tty: true });
    expect(stderr).toBe('no jobs; `svc generate` creates one\n');
  });

  /** As many as a list can have. */
  const many = (count: number) => begun(...Array.from({ length: count }, (_, nth) => String(nth)));

  const late = 'the service did not answer in time; `svc jobs wait --all` waits longer';

  it('asks for ten seconds, and skips the rest', async () => {
    const at = await many(32);
    const asked = new Set<string>();
    const look = ({ url }: { url: string }) => {
      asked.add(url);
      at.clock.pass(350);
    };
    at.on(/\/jobs\//, { first: look, answer: refusal(403, 'slow', 'come back later') });
    const { code, stdout, stderr } = await at.svc('jobs list');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(32);
    const [refused = '', left = '', ...more] = stderr.split('\n');
    expect(refused).toMatch(
      /^warning: could not check job_1, job_2, job_3 and \d+ more: come back later$/,
    );
    expect(left).toMatch(/^warning: could not check job_\d+(, job_\d+)*( and \d+ more)?: /);
    expect(left).toContain(late);
    expect(more).toEqual(['']);
    expect(asked.size).toBeLessThan(32);
  });

  it('gives up on a service that does not answer, and shows what it has', async () => {
    const at = await many(10);
    const clock = new SkippingClock({ now: at.clock.now() });
    const before = clock.now();
    const { code, stdout, stderr } = await at.svc('jobs list', { clock });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(10);
    expect(stderr).toBe(`warning: could not check job_1, job_2, job_3 and 7 more: ${late}\n`);
    // On this clock each waits alone: eight are asked at once, for three seconds.
    expect(clock.now() - before).toBeLessThanOrEqual(8 * 3000);
  });

  it('gives up on an unreachable service, and loses no key', async () => {
    const at = await many(6);
    at.media.when('/generate', badGateway);
    for (const nth of Array(5).keys()) {
      await at.svc(['generate', 'vendor/canvas', `late ${String(nth)}`, '--no-wait', '-q']);
    }
    // No server listens there.
    const gone = 'http://127.0.0.1:1';
    changeLedger(at.home, (texts) => texts.map((text) => text.replaceAll(at.origin, gone)));
    const before = at.ledger();
    const { code, stdout, stderr } = await at.svc('jobs list -v', { env: { SVC_BASE_URL: gone } });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(11);
    const lines = stderr.split('\n');
    // Four were sent at once, each three times at most; of the others nothing was tried.
    expect(lines.filter((line) => line.startsWith('> ')).length).toBeLessThanOrEqual(12);
    expect(lines.filter((line) => line.startsWith('warning: '))).toEqual([
      expect.stringMatching(/^warning: a job for vendor\/canvas may have been accepted.*5 times/),
      expect.stringMatching(/^warning: could not check job_1, job_2, job_3 and 3 more: /),
    ]);
    expect(at.ledger()).toEqual(before);
  });

  it('says once how many lines of the ledger cannot be read, and leaves them', async () => {
    const at = await begun('a');
    const damaged = ['x', '{"type":"accepted"}', '[]'];
    changeLedger(at.home, (texts) => [...texts, ...damaged]);
    const { code, stdout, stderr } = await at.svc('jobs list');
    expect(code).toBe(0);
    expect(stdout).toContain('job_1');
    expect(stderr).toBe(
      `warning: ignoring 3 unreadable lines of the job ledger ${join(at.home, 'data', 'state.db')}\n`,
    );
    expect(ledgerTexts(at.home)).toEqual(expect.arrayContaining(damaged));
  });

  it('leaves out what is old or never was, unless --all is given', async () => {
    const at = await begun('a');
    at.media.when('/generate', refusal(422, 'unsupported', 'no'));
    await at.svc('generate vendor/canvas b --no-wait -q');
    at.media.instead = () => undefined;
    await at.svc('jobs list');
    const env = { SVC_API_KEY: 'sk-svc-another' };
    await at.svc('generate vendor/canvas c --no-wait -q', { env });
    expect((await at.svc('jobs list')).stdout).toMatch(/^job_1\t[^\n]*\n$/);
    at.clock.pass(7 * 24 * 60 * 60_000);
    expect((await at.svc('jobs list')).stdout).toBe('');
    const all = await at.svc('jobs list --all');
    expect(all.stdout.split('\n').map((line) => line.split('\t').slice(0, 3).join(' '))).toEqual([
      'job_2 vendor/canvas running',
      '- vendor/canvas failed',
      'job_1 vendor/canvas done',
      '',
    ]);
    expect(all.stdout.split('\n')[0]?.split('\t')[7]).toBe('default');
  });

  it('finishes what was cut off, and says what could not be', async () => {
    const at = await scene();
    at.media.when('/generate', badGateway);
    await at.svc('generate vendor/canvas a --no-wait -q');
    const still = await at.svc('jobs list');
    expect(still).toMatchObject({ code: 0 });
    expect(still.stdout).toMatch(/^-\tvendor\/canvas\tunknown\t12.5\t/);
    expect(still.stderr).toMatch(
      /^sending the request for vendor\/canvas \(12.50 RUB\) again with the same key\nwarning: a job for vendor\/canvas may have been accepted; svc keeps checking: .*\n$/,
    );
    at.media.when('/generate', refusal(409, 'quote_stale', 'the quote has expired'));
    at.clock.pass(10 * 60_000);
    expect(await at.svc('jobs list')).toMatchObject({
      code: 0,
      stdout: '',
      stderr:
        'sending the request for vendor/canvas (12.50 RUB) again with the same key\n' +
        'warning: a job for vendor/canvas was not accepted; nothing was charged: the quote has expired\n',
    });
    expect(new Set(at.keys()).size).toBe(1);
    // That was its end.
    const before = at.calls().length;
    await at.svc('jobs list');
    expect(at.calls()).toHaveLength(before);
  });

  it('leaves alone a request that another process is about to send', async () => {
    const at = await scene();
    let listed = '';
    at.on('media.generate', { first: () => (listed = JSON.stringify(at.ledger())) });
    await at.svc('generate vendor/canvas a --no-wait -q');
    // The ledger as it was while the request was on its way.
    const [wanted] = JSON.parse(listed) as object[];
    const owner = { ...(await newOwner()), pid: process.ppid, began: undefined };
    changeLedger(at.home, () => [JSON.stringify({ ...wanted, owner })]);
    const before = at.keys().length;
    expect((await at.svc('jobs list')).stdout).toMatch(/^-\tvendor\/canvas\tqueued\t/);
    expect(at.keys()).toHaveLength(before);
    at.leave();
    expect((await at.svc('jobs list')).stdout).toMatch(/^job_1\t/);
    expect(at.keys()).toHaveLength(before + 1);
  });

  it('leaves a request of more than a day alone, and jobs resume sends it', async () => {
    const at = await scene();
    at.media.when('/generate', badGateway);
    await at.svc('generate vendor/canvas a --no-wait -q');
    at.media.instead = () => undefined;
    at.clock.pass(25 * 60 * 60_000);
    const before = at.keys().length;
    const [key] = at.keys();
    const list = await at.svc('jobs list');
    expect(list.stdout).toMatch(/^-\tvendor\/canvas\tunknown\t/);
    expect(list.stderr).toBe(
      'warning: a request for vendor/canvas (1 d ago) got no answer and is not sent again automatically; ' +
        `send it again, and pay for it unless it was accepted then: \`svc jobs resume ${String(key)}\`\n`,
    );
    for (const line of ['jobs wait --all', `jobs show ${String(key)}`]) {
      expect(await at.svc(line)).toMatchObject({ code: 10 });
    }
    expect(at.keys()).toHaveLength(before);
    const sent = await at.svc(`jobs resume ${String(key)}`);
    expect(sent).toMatchObject({ code: 0, stdout: 'job_1\n' });
    expect(new Set(at.keys()).size).toBe(1);
    const again = await at.svc(`jobs resume ${String(key)}`);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('is not an interrupted request');
  });

  it('sends nothing in a dry run, and keeps everything', async () => {
    const at = await scene();
    at.media.when('/generate', badGateway);
    await at.svc('generate vendor/canvas a --no-wait -q');
    const ledger = at.ledger();
    const before = at.requests.length;
    const { code, stdout } = await at.svc('jobs list --dry-run');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      method: 'POST',
      headers: { 'idempotency-key': at.keys()[0] },
    });
    expect(at.requests).toHaveLength(before);
    expect(at.ledger()).toEqual(ledger);
  });
});
