/** The media part of a service, as section 4.3 has it, that a test can bend. */
import { isRecord } from '../../src/lib/json.js';
import type { Seen } from './fake-service.js';
import { front, type Answer } from './front.js';

export interface FakeJob {
  readonly id: string;
  readonly key: string | undefined;
  readonly body: string;
  /** What GET /api/media/jobs/{id} answers, one after the other; the last goes on forever. */
  states: Record<string, unknown>[];
}

/** An answer of this service. */
export type Reply = Answer & { readonly bytes?: Buffer };

/** A small PNG: its head and nothing that draws. */
export const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(40, 7)]);

export const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['model', 'prompt'],
  additionalProperties: false,
  properties: {
    model: { const: 'vendor/canvas' },
    prompt: { type: 'string', minLength: 1 },
    strict: { type: 'boolean' },
    quote_id: { type: 'string' },
    max_price_rub: { type: ['number', 'string'] },
    webhook_url: { type: 'string' },
    opts: {
      type: 'object',
      additionalProperties: false,
      properties: {
        size: { enum: ['1:1', '16:9', '9:16'], default: '1:1', description: 'Width to height' },
        n: { type: 'integer', minimum: 1, maximum: 4, default: 1 },
        seed: { type: 'integer', minimum: 0 },
        sharp: { type: 'boolean' },
        style: { type: 'string', maxLength: 40 },
        tags: { type: 'array', items: { type: 'string' } },
        extra: { type: 'object' },
        image_url: { type: 'string' },
        image_file_id: { type: 'string' },
        image_base64: { type: 'string' },
      },
    },
  },
};

export class FakeMedia {
  readonly jobs: FakeJob[] = [];
  readonly uploads: Buffer[] = [];
  /** Prices that are asked for, one after the other; the last goes on forever. */
  prices: number[] = [12.5];
  models: unknown[] = [
    { id: 'vendor/canvas', kind: 'image', operations: [{ id: 'make', requestJsonSchema: schema }] },
  ];
  results: Buffer[] = [png];
  /** What jobs go through from now on. */
  states: Record<string, unknown>[] = [{ status: 'success' }];
  /** Answers in the service's place when it answers at all. */
  instead: (seen: Seen) => Reply | undefined = () => undefined;
  quotes = 0;
  origin = '';

  /** From now on what has this in its URL is answered so, unless the answer is undefined. */
  when(part: string, answer: Reply | undefined | (() => Reply | undefined)): void {
    const { instead } = this;
    this.instead = (seen) => {
      if (!seen.url.includes(part)) return instead(seen);
      return (typeof answer === 'function' ? answer() : answer) ?? instead(seen);
    };
  }

  /** The answer to a request. */
  answer(seen: Seen): Reply {
    return this.instead(seen) ?? this.#answer(seen);
  }

  #answer(seen: Seen): Reply {
    const [path = ''] = seen.url.split('?');
    switch (`${seen.method} ${path}`) {
      case 'GET /v1/model-capabilities':
        return { json: { models: this.models, pagination: { total: this.models.length } } };
      case 'POST /api/media/price':
      case 'POST /api/media/public-price':
        return this.#quote();
      case 'POST /api/media/generate':
        return this.#generate(seen);
      case 'POST /v1/files':
        this.uploads.push(Buffer.from(seen.body, 'utf8'));
        return { json: { id: `file_${String(this.uploads.length)}` } };
      case 'GET /v1/balance':
        return { json: { balance_rub: 987.5, currency: 'RUB' } };
      default:
        return this.#ofJob(seen.method, path);
    }
  }

  #quote(): Reply {
    const priceRub = this.prices[Math.min(this.quotes, this.prices.length - 1)];
    this.quotes += 1;
    return {
      json: {
        ok: true,
        priceRub,
        isEstimate: false,
        breakdown: { images: 1 },
        quoteId: `mq_${String(this.quotes)}`,
        expiresAt: '2026-01-01T00:00:00.000Z',
        quoteTtlSeconds: 300,
      },
    };
  }

  #generate({ headers, body }: Seen): Reply {
    const given = headers['idempotency-key'];
    const key = typeof given === 'string' ? given : undefined;
    const known = key === undefined ? undefined : this.jobs.find((job) => job.key === key);
    if (known && known.body !== body) {
      return refusal(409, 'idempotency_key_reused', 'this key began another job');
    }
    const quote = quoteIn(body);
    if (!known && quote !== undefined && this.jobs.some((job) => quoteIn(job.body) === quote)) {
      return refusal(409, 'quote_used', 'this quote was used by another job');
    }
    const job = known ?? {
      id: `job_${String(this.jobs.length + 1)}`,
      key,
      body,
      states: this.states,
    };
    if (!known) this.jobs.push(job);
    return {
      status: 202,
      json: {
        ok: true,
        jobId: job.id,
        status: 'processing',
        model: 'vendor/canvas',
        provider: 'canvas',
        priceRub: 12.5,
        requestedModel: 'vendor/canvas',
        effectiveModel: 'vendor/canvas',
        addressAs: 'vendor/canvas:a',
        providerAlias: 'canvas',
      },
    };
  }

  #ofJob(method: string, path: string): Reply {
    const [, id] = /^\/api\/media\/jobs\/([^/]+)$/.exec(path) ?? [];
    const [, , index] = /^\/api\/media\/file\/([^/]+)\/(\d+)$/.exec(path) ?? [];
    const job = this.jobs.find((one) => one.id === id);
    if (method === 'GET' && job) return { json: this.#state(job) };
    const file = this.results[Number(index)];
    if (method === 'GET' && file) {
      return { bytes: file, headers: { 'content-type': 'application/octet-stream' } };
    }
    return refusal(404, 'not_found', 'there is no such thing');
  }

  #state(job: FakeJob): unknown {
    const [state = {}, ...more] = job.states;
    if (more.length > 0) job.states = more;
    const isDone = state['status'] === 'success';
    return {
      model: 'vendor/canvas',
      effectiveModel: 'vendor/canvas',
      priceRub: 12.5,
      resultUrls: isDone
        ? this.results.map(
            (_, index) =>
              `${this.origin}/api/media/file/${job.id}/${String(index)}?sig=s${String(index)}`,
          )
        : [],
      resultsExpireAt: isDone ? '2999-01-01T00:00:00.000Z' : null,
      resultText: null,
      resultMeta: null,
      failMsg: null,
      errorCode: null,
      ...state,
    };
  }
}

function quoteIn(body: string): unknown {
  const value: unknown = JSON.parse(body);
  return isRecord(value) ? value['quote_id'] : undefined;
}

/** The body of a media refusal (section 2.11). */
export function refusal(status: number, code: string, message: string, more: object = {}): Reply {
  return { status, json: { ok: false, code, message, ...more } };
}

/** The service on a socket of its own, until the running test ends. */
export async function mediaService(media = new FakeMedia()) {
  const at = await front({ standIn: (seen) => media.answer(seen) });
  media.origin = at.origin;
  return { ...at, media };
}
