import { describe, expect, test } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import { incidentFor, type ReportRequest } from '../../src/state/incidents.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

const account = accountOf('default', 'https://h.test', 'sk-svc-0123456789');
const report: ReportRequest = {
  category: 'general',
  subject: 's',
  message: 'm',
  requestIds: ['a', 'b'],
};
const dayMs = 86_400_000;

function keeping() {
  const paths = pathsFrom({ SVC_CONFIG_DIR: testFolder() });
  const of = (change: Partial<ReportRequest> = {}, nowMs = 0, whose = account) =>
    incidentFor(paths, whose, { ...report, ...change }, nowMs);
  return { of };
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

  test.each<[string, Partial<ReportRequest>, typeof account?]>([
    ['category', { category: 'billing' }],
    ['subject', { subject: 't' }],
    ['message', { message: 'n' }],
    ['request ids', { requestIds: ['a'] }],
    ['key', {}, accountOf('default', 'https://h.test', 'sk-svc-another')],
    ['service', {}, accountOf('default', 'https://g.test', 'sk-svc-0123456789')],
  ])('is another for another %s', (_, change, whose) => {
    const { of } = keeping();
    expect(of(change, 0, whose)).not.toBe(of());
  });

  test('is the same for another name of the profile', () => {
    const { of } = keeping();
    expect(of({}, 0, { ...account, profile: 'work' })).toBe(of());
  });
});
