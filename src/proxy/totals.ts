/** What the requests of a program came to, by model. */
import type { ProxiedRequest } from './proxied.js';

export interface Total {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** Of the requests whose price is known. */
  priceRub: number;
  /** How many may have been charged without a known price. */
  open: number;
  /** How many the proxy did not send. */
  refused: number;
}

/** A program may make up names. */
const maxModels = 200;
const others = '…';

export class Totals {
  readonly all: Total = noTotal();
  /** Where a paid request names no model, under the id of its endpoint. */
  readonly byModel = new Map<string, Total>();

  add(request: ProxiedRequest): void {
    for (const total of this.#of(request)) {
      total.requests += 1;
      total.inputTokens += request.usage?.inputTokens ?? 0;
      total.outputTokens += request.usage?.outputTokens ?? 0;
      total.refused += request.refusal && request.status !== 0 ? 1 : 0;
      if (request.priceRub === undefined) total.open += 1;
      else total.priceRub += request.priceRub;
    }
  }

  /** The price of a request that was added without one. */
  settle(request: ProxiedRequest): void {
    for (const total of this.#of(request)) {
      total.open -= 1;
      total.priceRub += request.priceRub ?? 0;
    }
  }

  #of({ model, row }: ProxiedRequest): readonly Total[] {
    const name = model ?? (row?.paid && row.id);
    if (name === undefined) return [this.all];
    const isKnown = this.byModel.has(name) || this.byModel.size < maxModels;
    const key = isKnown ? name : others;
    const total = this.byModel.get(key) ?? noTotal();
    this.byModel.set(key, total);
    return [this.all, total];
  }
}

function noTotal(): Total {
  return { requests: 0, inputTokens: 0, outputTokens: 0, priceRub: 0, open: 0, refused: 0 };
}
