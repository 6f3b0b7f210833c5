/** Replies are loose: whatever the service adds or leaves out, a listing is still shown. */
import type * as z from 'zod/mini';
import { describe, expect, test } from 'vitest';
import { Balance, UsageHistory } from '../../src/contract/billing.js';
import { endpoints } from '../../src/contract/index.js';
import { MediaError } from '../../src/contract/fields.js';
import { GenerateReply, Job, MediaCatalog, PriceQuote } from '../../src/contract/media.js';
import { ModelCapabilities, ModelList } from '../../src/contract/models.js';
import { TicketList } from '../../src/contract/tickets.js';
import { VoiceList } from '../../src/contract/voices.js';

/** Replies as the document shows them. */
const shown: Record<string, readonly [z.ZodMiniType, Readonly<Record<string, unknown>>]> = {
  'the model capabilities': [
    ModelCapabilities,
    {
      models: [{ any: 'thing' }],
      pagination: { page: 1, pageSize: 100, total: 0, totalPages: 0 },
      stores_data_in_russia: null,
      supported_parameters: { '/v1/messages': { thinking: 'unconfirmed' } },
    },
  ],
  'a started job': [
    GenerateReply,
    { ok: true, jobId: 'j', status: 'processing', model: 'm', priceRub: 5, addressAs: 'm:a' },
  ],
  'a failed job': [
    Job,
    {
      ...{ status: 'fail', failMsg: 'refused', errorCode: 'x', retryGuidance: null },
      ...{ resultUrls: null, resultsExpireAt: null, resultText: null, resultMeta: null },
    },
  ],
  'the media catalog': [
    MediaCatalog,
    {
      ...{ pricesArePlaceholder: false, pricesAreEstimate: true, videoDisabled: false },
      models: [{ kind: 'video', variants: [], params: {}, fromRub: '3', axes: null }],
    },
  ],
};

/** The same value with an unknown field in each object, and each word one that is not known. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value === 'string') return `${value} of tomorrow`;
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, grown(field)]);
  return { ...Object.fromEntries(fields), addedTomorrow: { any: ['thing'] } };
}

test.each(Object.entries(shown))(
  '%s is read as the document shows it, with unknown fields and unknown words',
  (_, [schema, reply]) => {
    expect(schema.parse(reply)).toEqual(reply);
    expect(schema.parse(grown(reply))).toEqual(grown(reply));
  },
);

describe('what a reply leaves out', () => {
  test.each([
    ['a job of which nothing is known', Job, {}],
    ['a started job with its id alone', GenerateReply, { jobId: 'j' }],
    ['a quote of which nothing is known', PriceQuote, {}],
    ['a ticket without words', TicketList, { data: [{ id: 't', status: null, category: null }] }],
    ['a usage record without figures', UsageHistory, { data: [{ id: 'u', priceRub: null }] }],
    ['an error without a code', MediaError, { message: 'no' }],
  ])('%s is still read', (_, schema, reply) => {
    expect(schema.safeParse(reply).success).toBe(true);
  });

  test.each([
    ['a balance without a figure', Balance, { currency: 'RUB' }],
    ['a started job without its id', GenerateReply, { ok: true }],
    ['voices that are no list', VoiceList, { voices: {} }],
    ['a page instead of a reply', ModelList, '<html>'],
  ])('%s is refused, for nothing could be done with it', (_, schema, reply) => {
    expect(schema.safeParse(reply).success).toBe(false);
  });

  test('what the document does not show is passed on as it came', () => {
    const unseen = endpoints.filter((row) => row.section === '4.10');
    expect(unseen).toHaveLength(9);
    for (const { id, returns } of unseen) {
      for (const reply of [null, 'text', [1], { any: 'thing' }]) {
        expect([id, returns.parse(reply)]).toEqual([id, reply]);
      }
    }
  });
});
