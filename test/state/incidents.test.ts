import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import { incidentFor, type Wish } from '../../src/state/incidents.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

const account = accountOf('default', 'https://h.test', 'sk-svc-0123456789');
const wish: Wish = { category: 'general', subject: 's', message: 'm', requestIds: ['a', 'b'] };
const dayMs = 86_400_000;

function keeping() {
  const paths = pathsFrom({ SVC_CONFIG_DIR: testFolder() });
  const file = join(paths.data, 'incidents.jsonl');
  const of = (change: Partial<Wish> = {}, nowMs = 0, whose = account) =>
    incidentFor(paths, whose, { ...wish, ...change }, nowMs);
  return { file, of };
}

describe('the incident id of a report', () => {
  test('is the same for the same report within a day', () => {
    const { of } = keeping();
    const first = of();
    expect(first).toMatch(/^svc-[0-9a-f-]{36}$/);
    expect(of({ requestIds: ['b', 'a'] }, dayMs - 1)).toBe(first);
    const next = of({}, dayMs);
    expect(next).not.toBe(first);
    expect(of({}, dayMs + 1)).toBe(next);
  });

  test.each([
    ['category', { category: 'billing' }],
    ['subject', { subject: 't' }],
    ['message', { message: 'n' }],
    ['request ids', { requestIds: ['a'] }],
  ])('is another for another %s', (_, change) => {
    const { of } = keeping();
    expect(of(change)).not.toBe(of());
  });

  test('is another for another key and another service', () => {
    const { of } = keeping();
    const others = [
      accountOf('default', 'https://h.test', 'sk-svc-another'),
      accountOf('default', 'https://g.test', 'sk-svc-0123456789'),
    ];
    const ids = [of(), ...others.map((other) => of({}, 0, other))];
    expect(new Set(ids).size).toBe(3);
    // The name of a profile says nothing.
    expect(of({}, 0, accountOf('work', 'https://h.test', 'sk-svc-0123456789'))).toBe(ids[0]);
  });

  test('is on disk, for the owner alone, without a word of the report', () => {
    const { file, of } = keeping();
    const id = of({ subject: 'secret subject', message: 'secret message' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(id);
    expect(text).not.toContain('secret');
    expect(of({ subject: 'secret subject', message: 'secret message' })).toBe(id);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('is found behind lines that were torn', () => {
    const { file, of } = keeping();
    const first = of();
    appendFileSync(file, '{"incident":"svc-torn","wi');
    const other = of({ subject: 'other' });
    appendFileSync(file, 'null\n{}\n[1]\n{"incident":1,"wish":2,"atMs":3}\n');
    expect(of()).toBe(first);
    expect(of({ subject: 'other' })).toBe(other);
  });

  test('is not looked for in the future: a clock that was set back takes no old one', () => {
    const { of } = keeping();
    const late = of({}, 10 * dayMs);
    expect(of({}, 0)).not.toBe(late);
  });
});
