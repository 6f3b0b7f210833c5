import { describe, expect, it } from 'vitest';
import { submit, type Submission } from '../../../src/api/media/submit.js';
import { AttemptFailed } from '../../../src/http/types.js';
import type { Step } from '../../helpers/scripted-transport.js';
import { clientOver, json } from '../client.js';

const payload = { contentType: 'application/json', body: '{"model":"m","opts":{"n":1}}' };
const accepted = json({ ok: true, jobId: 'job_1', status: 'processing' }, 202);
const unsent = new AttemptFailed('connect', false, 'refused');
const lost = new AttemptFailed('reset', true, 'dropped');
const no = (status: number, code = 'no', message = 'no'): Step =>
  json({ ok: false, code, message }, status);
const page = (status: number): Step => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html>no</html>',
});

/** The result of a submission to a service that answers like this. */
async function outcome(steps: readonly [Step, ...Step[]], more: Partial<Submission> = {}) {
  const client = clientOver(steps);
  const submitted = await submit(client, { key: 'k', payload, ...more });
  const error = submitted.outcome === 'accepted' ? undefined : submitted.error;
  return {
    outcome: submitted.outcome,
    error,
    name: error instanceof Error ? error.name : undefined,
    requests: client.requests,
  };
}

it('sends the same key and the same bytes each time', async () => {
  const headers = { 'x-{brand}-sandbox-outcome': 'submission_uncertain' };
  const { outcome: end, requests } = await outcome([lost, no(503), accepted], { headers });
  expect(end).toBe('accepted');
  expect(requests).toHaveLength(3);
  for (const request of requests) {
    expect(request.body).toBe(payload.body);
    expect(request.headers).toMatchObject({
      'idempotency-key': 'k',
      'content-type': 'application/json',
      'x-svc-sandbox-outcome': 'submission_uncertain',
    });
  }
});

describe('an attempt', () => {
  it.each([
    ['that never left', [unsent], 'not_sent', 'NetworkError'],
    ['that was lost', [lost], 'uncertain', 'OutcomeUnknown'],
    ['that was lost, and then never left', [lost, unsent], 'uncertain', 'OutcomeUnknown'],
    ['whose answer breaks off', [{ status: 202, body: '{"jobId"' }], 'uncertain', 'OutcomeUnknown'],
    ['whose answer names no job', [json({ ok: true }, 202)], 'uncertain', 'ApiError'],
    ['that is refused', [no(422)], 'refused', 'ApiError'],
    ['without money', [no(402)], 'refused', 'ApiError'],
    ['with a stale quote', [no(409, 'quote_stale')], 'refused', 'ApiError'],
    ['at a bad time, in the words of the service', [no(503)], 'refused', 'ApiError'],
    ['that the provider does not accept', [no(502)], 'refused', 'ApiError'],
    ['at too high a pace', [no(429)], 'refused', 'ApiError'],
    ['that a page stands in the way of', [page(502)], 'uncertain', 'ApiError'],
    [
      'that other JSON stands in the way of',
      [json({ message: 'x' }, 502)],
      'uncertain',
      'ApiError',
    ],
    ['at which the service fails', [no(500)], 'uncertain', 'ApiError'],
    ['that takes the service too long', [no(504)], 'uncertain', 'ApiError'],
    ['that a page refuses', [page(403)], 'uncertain', 'ApiError'],
    ['that a page knows nothing of', [page(404)], 'uncertain', 'ApiError'],
  ] as const)('%s', async (_, steps, end, name) => {
    const [first, ...rest] = steps;
    expect(await outcome([first, ...rest])).toMatchObject({ outcome: end, name });
  });

  it.each([
    ['money', no(402), 'uncertain'],
    ['the key', no(401), 'uncertain'],
    ['the address', no(403), 'uncertain'],
    ['the pace', no(429), 'uncertain'],
    ['the quote, which it may have taken itself', no(409, 'quote_used'), 'uncertain'],
    ['the quote, in another way', no(422, 'quote_used'), 'uncertain'],
    ['the key, whose request is at work', no(409, 'idempotency_in_progress'), 'uncertain'],
    ['the request itself', no(422, 'unsupported_options'), 'refused'],
    ['the form of the request', no(400, 'invalid'), 'refused'],
  ] as const)(
    'after a lost one says nothing about the lost one when it fails for %s',
    async (_, step, end) => {
      expect(await outcome([lost, step])).toMatchObject({ outcome: end });
      expect(await outcome([page(502), step])).toMatchObject({ outcome: end });
      const isResend = true;
      expect(await outcome([step], { isResend, wasSentJustNow: true })).toMatchObject({
        outcome: end,
      });
    },
  );

  it.each([
    ['a stale quote', no(409, 'quote_stale'), 'refused'],
    ['an unknown quote', no(422, 'quote_unknown'), 'refused'],
    ['too little money', no(402), 'uncertain'],
    ['a wrong key', no(401), 'uncertain'],
    ['a bad time', no(503), 'uncertain'],
    ['a request that is at work', no(409, 'idempotency_in_progress'), 'uncertain'],
  ] as const)('long after a lost one is judged by why it fails: %s', async (_, step, end) => {
    expect(await outcome([step], { isResend: true })).toMatchObject({ outcome: end });
  });

  it('that is not sent leaves the outcome of the first unknown', async () => {
    expect(await outcome([unsent], { isResend: true })).toMatchObject({ outcome: 'not_sent' });
  });

  it('says what is uncertain about it, and how to find out', async () => {
    const { error } = await outcome([page(502)]);
    expect(error).toMatchObject({
      message: expect.stringMatching(/it may have been carried out and charged$/),
      hint: 'check whether it was carried out before you send it again: `svc jobs list`',
    });
  });

  it.each([
    ['before it leaves', false, { outcome: 'not_sent' }],
    ['on its way', true, { outcome: 'uncertain', isUnanswered: true }],
  ])('that is interrupted %s is judged by whether it left', async (_, hasLeft, submitted) => {
    const error = new Error('Ctrl-C');
    const client = clientOver([new AttemptFailed('aborted', hasLeft, 'aborted', error)]);
    expect(await submit(client, { key: 'k', payload })).toEqual({ ...submitted, error });
  });
});
