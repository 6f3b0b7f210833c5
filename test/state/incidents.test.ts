import { describe, expect, test } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import { incidentFor, type ReportRequest } from '../../src/state/incidents.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

const account = accountOf('default', 'https://h.test', 'sk-svc-0123456789');
const wish: ReportRequest = {
  category: 'general',
  subject: 's',
  message: 'm',
  requestIds: ['a', 'b'],
};
const dayMs = 86_400_000;

function keeping() {
  const home = testFolder();
  const paths = pathsFrom({ SVC_CONFIG_DIR: home });
  const of = (change: Partial<ReportRequest> = {}, nowMs = 0, whose = account) =>
    incidentFor(paths, whose, { ...wish, ...change }, nowMs);
  return { home, of };
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
});
