/** What the checks of `svc doctor` find, and what several of them ask for. */
import { call, type Reply } from '../../api/call.js';
import { withLimit } from '../../api/client.js';
import type { Context } from '../../context.js';
import { getBalance } from '../../contract/billing.js';
import { createTransport } from '../../http/attempt.js';
import { proxyFor } from '../../http/proxy.js';
import type { Transport } from '../../http/types.js';
import { knownBaseUrl } from '../../state/settings.js';
import type { FindingTexts } from '../../texts/doctor.js';
import type { Texts } from '../../texts/texts.js';

/** What is in order, a warning with what to do, or why it was not tried. A problem is thrown. */
export type Finding =
  string | { readonly warning: string; readonly hint: string } | { readonly skipped: string };

/** What several checks ask for; the service is asked once. */
export class Visit {
  readonly findings: FindingTexts;
  /** The time for each question to the network. */
  readonly limitMs: number;
  #balance: Promise<Reply<typeof getBalance>> | undefined;
  #aheadMs: number | undefined;

  constructor(
    readonly context: Context,
    /** English to a pipe and under --json. */
    readonly texts: Texts,
  ) {
    this.findings = texts.doctor.findings;
    this.limitMs = context.flags.timeoutMs ?? 5000;
  }

  service(): URL {
    return knownBaseUrl(this.context.settings());
  }

  proxy(): URL | undefined {
    return proxyFor(this.service(), this.context.env);
  }

  /** The answer of the service to the key. @throws SvcError */
  balance(): Promise<Reply<typeof getBalance>> {
    return (this.#balance ??= this.#askBalance());
  }

  /** How far this clock is ahead of the service's; NaN if an answer has no date. */
  async aheadMs(): Promise<number | undefined> {
    await this.balance().catch(() => undefined);
    if (this.#aheadMs === undefined) await this.#askWithoutKey().catch(() => undefined);
    return this.#aheadMs;
  }

  async #askBalance(): Promise<Reply<typeof getBalance>> {
    const client = await this.context.client();
    const transport = this.#comparingClocks(client.transport);
    return call(withLimit({ ...client, transport }, this.limitMs), getBalance, {});
  }

  /** Where there is no key, any answer has the date. */
  async #askWithoutKey(): Promise<void> {
    const { context, limitMs } = this;
    const { env, signal } = context;
    const timeouts = { connectMs: limitMs, firstByteMs: limitMs, idleMs: limitMs };
    const request = { method: 'HEAD', url: this.service(), headers: {}, timeouts, signal };
    const answer = await this.#comparingClocks(createTransport({ env }))(request);
    answer.discard();
  }

  #comparingClocks(send: Transport): Transport {
    return async (request) => {
      const answer = await send(request);
      this.#aheadMs = this.context.clock.now() - Date.parse(answer.headers['date'] ?? '');
      return answer;
    };
  }
}
