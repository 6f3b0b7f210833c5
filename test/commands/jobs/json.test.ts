import { describe, expect, it } from 'vitest';
import { scene } from '../generate/scene.js';
import { begun, state } from './begun.js';

const route = {
  provider: 'canvas',
  requestedModel: 'vendor/canvas',
  effectiveModel: 'vendor/canvas-2',
  addressAs: 'canvas/two',
  providerAlias: 'prime',
};
const uncertain = {
  status: 'submitting',
  errorCode: 'media_submission_uncertain',
  retryGuidance: 'keep polling',
  ...route,
};

describe('the JSON of a job that is still under way when the time is over', () => {
  it('is the last that the service told of it', async () => {
    const at = await scene();
    at.media.states = [uncertain];
    const made = await at.make('a --json --timeout 30');
    expect(made.code).toBe(8);
    expect(JSON.parse(made.stdout)).toMatchObject(uncertain);
    const waited = await at.svc('jobs wait job_1 --json --timeout 30');
    expect(waited.code).toBe(8);
    expect(JSON.parse(waited.stdout)).toMatchObject([uncertain]);
    const shown = await at.svc('jobs show job_1 --json');
    expect(JSON.parse(shown.stdout)).toMatchObject(uncertain);
    const listed = await at.svc('jobs list --json');
    expect(JSON.parse(listed.stdout)).toMatchObject([uncertain]);
    const downloaded = await at.svc('jobs download job_1 --json');
    expect(JSON.parse(downloaded.stdout)).toMatchObject([{ errorCode: uncertain.errorCode }]);
  });
});

describe('the JSON of a job that has just been accepted', () => {
  const accepted = { ok: true, jobId: 'job_7', status: 'processing', priceRub: 2, ...route };

  it('passes on by which way it goes', async () => {
    const at = await scene();
    at.media.instead = ({ url }) =>
      url === '/api/media/generate' ? { status: 202, json: accepted } : undefined;
    const { code, stdout } = await at.svc('generate vendor/canvas a --no-wait --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ job: 'job_7', status: 'processing', ...route });
  });

  it.each([
    ['', accepted],
    [' that wraps it', { ok: true, data: accepted }],
  ])('passes it on of an extension, in a reply%s', async (_, json) => {
    const at = await begun('a');
    at.media.instead = ({ url }) => {
      if (url.endsWith('/extend/price')) return { json: { priceRub: 2 } };
      return url.endsWith('/extend') ? { status: 202, json } : undefined;
    };
    const line = 'jobs extend job_1 rain --tier fast --no-wait --json';
    expect(JSON.parse((await at.svc(line)).stdout)).toMatchObject({ job: 'job_7', ...route });
    // The list has it from the ledger.
    const listed = await at.svc('jobs list --json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ job: 'job_7', ...route }, { job: 'job_1' }]);
  });
});

describe('a job that was not charged', () => {
  it.each([
    ['a sandbox job that never started', { stage: 'submission_not_started', charged: false }],
    ['a failed one', { status: 'fail', charged: false }],
  ])('costs nothing, wherever it is told: %s', async (_, last) => {
    const at = await begun('a');
    state(at, 0, { priceRub: 12.5, ...last });
    const free = { charged: false, cost: { priceRub: 0 } };
    const shown = await at.svc('jobs show job_1 --json');
    expect(JSON.parse(shown.stdout)).toMatchObject(free);
    expect((await at.svc('jobs show job_1')).stdout).toContain('Price\t0.00 RUB\n');
    const waited = await at.svc('jobs wait job_1 --json');
    expect(JSON.parse(waited.stdout)).toMatchObject([free]);
    const listed = await at.svc('jobs list --json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ priceRub: 0 }]);
    expect((await at.svc('jobs list')).stdout).toContain('\t0.00 RUB\t');
  });
});
