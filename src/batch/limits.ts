/** How fast requests may be sent: fixed limits, or limits that are learned from the answers. */
import type { BatchRequest } from './request.js';

/** What a run has learned, for the next one. */
export interface Learnt {
  readonly perSecond: number;
  readonly inFlight: number;
}

export interface LimitOptions {
  readonly concurrency?: number;
  readonly rpm?: number;
  readonly tpm?: number;
  readonly learnt?: Learnt;
  readonly random: () => number;
}

/** Of requests in flight. Few services mind the second number; the third is ours. */
const [firstInFlight, easyInFlight, maxInFlight] = [16, 64, 256];
/** What a refusal takes of a rate. */
const cut = 0.07;
/** From a refusal to the next: a long pause costs more, and one process of many sends less. */
const [minCycleMs, maxCycleMs, cyclePauses, cycleRequests] = [10_000, 60_000, 40, 80];
/** Fewer answers say nothing about a rate. */
const minAnswers = 10;
/** A refusal answers a rate of this long ago: services count by the second. */
const countedMs = 1000;
/** Added to a minute, as requests take different times on their way. */
const spareMs = 300;
/** What a late timer has held up within this time is caught up with. */
const catchUpMs = 50;
/** A smaller rise of the latency does not count as a queue. */
const noQueueMs = 50;
const failuresOfOutage = 10;
const maxBackOffMs = 30_000;

/**
 * For the requests of one model, or of a whole run. Times are the clock's, in milliseconds.
 *
 * The number in flight begins as in TCP's slow start, and follows the latency. The rate is free
 * until the first refusal (429), which sets it to what was accepted over time. Each later one
 * cuts it, and a cycle begins.
 */
export class Limits {
  #inFlight = 0;
  #maxInFlight: number;
  #ceiling: number;
  /** Nothing has been refused, and nothing queues: the number in flight grows with each answer. */
  #isRamp = true;
  #mayGrow = true;
  /** As many answers as may be in flight. */
  #round = { answers: 0, latencyMs: 0 };
  #minLatencyMs = Infinity;

  /** Requests a second: the rate that was refused, Infinity before the first refusal. */
  #peak: number;
  /** From a refusal to the next. */
  #cycleMs = minCycleMs;
  #sinceMs = NaN;
  /** Answers of the last second or two. */
  #recent = { sinceMs: NaN, answers: 0 };
  /** Cycles are short at first, while little is known. */
  #patience: number;
  /** Accepted before the first refusal. */
  #burst: { readonly answers: number; readonly ms: number } | undefined;
  #nextMs = -Infinity;

  #pausedUntilMs = -Infinity;
  /** Since when only refusals or failures have come. */
  #troubleMs: number | undefined;
  #failures = 0;
  #isAnswered = false;
  /** In flight when the rate was cut: their refusals are the same event. */
  #before = 0;

  #nextTokenMs = -Infinity;
  /** Counted for what is in flight. */
  #pendingTokens = 0;
  /** What answers count on top of the estimate, on average. */
  #extraTokens = 0;
  #largestTokens = 0;

  constructor(private readonly options: LimitOptions) {
    this.#maxInFlight = options.concurrency ?? maxInFlight;
    this.#ceiling = Math.min(this.#maxInFlight, options.learnt?.inFlight ?? firstInFlight);
    this.#peak = options.learnt?.perSecond ?? Infinity;
    this.#patience = options.learnt ? 1 / 2 : 1 / 16;
  }

  /** How long to wait before the next request: 0 now, Infinity until an answer comes. */
  waitMs(nowMs: number): number {
    if (this.#inFlight >= Math.floor(this.#ceiling)) return Infinity;
    const readyMs = Math.max(this.#nextMs, this.#nextTokenMs) - catchUpMs;
    return Math.max(0, this.#pausedUntilMs - nowMs, readyMs - nowMs);
  }

  /** @param tokens of its input, as an estimate. */
  sent(nowMs: number, tokens: number): void {
    const { rpm, tpm } = this.options;
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = this.#recent.sinceMs = nowMs;
    this.#inFlight += 1;
    const fixedMs = rpm === undefined ? 0 : (60_000 + spareMs) / rpm;
    const intervalMs = Math.max(fixedMs, 1000 / this.#rate(nowMs));
    this.#nextMs = Math.max(this.#nextMs, nowMs) + intervalMs;
    if (tpm === undefined) return;
    const counted = tokens + this.#extraTokens;
    this.#largestTokens = Math.max(this.#largestTokens, counted);
    this.#pendingTokens += counted;
    this.#nextTokenMs = Math.max(this.#nextTokenMs, nowMs) + counted * this.#tokenMs(tpm);
  }

  /** @param tokens those that the answer counts in all; 0 where it counts none. */
  answered(nowMs: number, latencyMs: number, tokens: number): void {
    this.#settle(tokens);
    this.#isAnswered = true;
    this.#failures = 0;
    if (this.#troubleMs !== undefined && nowMs >= this.#pausedUntilMs && this.#before === 0) {
      this.#troubleMs = undefined;
      this.#sinceMs = nowMs;
    }
    const recent = this.#recent;
    recent.answers += 1;
    if (nowMs - recent.sinceMs > 2 * countedMs) {
      recent.answers /= 2;
      recent.sinceMs += (nowMs - recent.sinceMs) / 2;
    }
    this.#followLatency(latencyMs);
  }

  /** A 429. @param retryAfterMs as the service asks */
  refused(nowMs: number, retryAfterMs: number | undefined): void {
    const isNews = this.#before === 0 && nowMs >= this.#pausedUntilMs;
    this.#settle(0);
    if (isNews) {
      if (this.#troubleMs === undefined) this.#learnPeak(nowMs);
      this.#before = this.#inFlight;
      this.#isRamp = false;
      this.#backOff(nowMs);
    }
    if (retryAfterMs !== undefined && retryAfterMs > 0) {
      const untilMs = nowMs + retryAfterMs;
      this.#pausedUntilMs = isNews ? untilMs : Math.max(this.#pausedUntilMs, untilMs);
    }
    const pauseMs = this.#pausedUntilMs - (this.#troubleMs ?? nowMs);
    if (this.#burst) {
      // What was accepted at once is all that a service accepts until the pause is over.
      const perSecond = (1000 * this.#burst.answers) / Math.max(this.#burst.ms, pauseMs);
      this.#peak = Math.max(1000 / maxBackOffMs, perSecond);
    }
    const pausesMs = Math.min(maxCycleMs, cyclePauses * pauseMs);
    const requestsMs = (1000 * cycleRequests) / Math.sqrt(this.#peak);
    this.#cycleMs = this.#patience * Math.max(minCycleMs, pausesMs, requestsMs);
    // Processes that were refused together do not go on together.
    const apartMs = (this.options.random() * 1000) / this.#peak;
    this.#nextMs = this.#pausedUntilMs + catchUpMs + apartMs;
  }

  /** From the first refusal after answers. */
  #learnPeak(nowMs: number): void {
    const { answers, sinceMs } = this.#recent;
    const ms = Math.max(1, nowMs - sinceMs);
    this.#patience = Math.min(1, this.#patience * 2);
    this.#burst = undefined;
    if (this.#peak === Infinity) {
      this.#burst = { answers: Math.max(1, answers), ms };
      return;
    }
    const before = this.#peak;
    this.#peak = this.#rate(Math.max(this.#sinceMs, nowMs - countedMs));
    if (answers < minAnswers) return;
    // What was allowed but not used teaches nothing.
    const used = (1100 * answers) / Math.max(countedMs, ms);
    this.#peak = Math.max(before / 2, Math.min(this.#peak, used));
  }

  /** No answer, or a failure that says nothing about the limit. @param mayPass as an outage does */
  failed(nowMs: number, mayPass: boolean): void {
    this.#settle(0);
    this.#failures = mayPass ? this.#failures + 1 : 0;
    if (this.#failures < failuresOfOutage || nowMs < this.#pausedUntilMs) return;
    this.#backOff(nowMs);
    this.#ceiling = Math.max(1, this.#ceiling / 2);
  }

  /** Undefined where nothing has been refused. */
  get learnt(): Learnt | undefined {
    // Refusals alone say nothing about a rate.
    if (this.#peak === Infinity || !this.#isAnswered) return this.options.learnt;
    return { perSecond: this.#peak * (1 - cut), inFlight: Math.floor(this.#ceiling) };
  }

  /**
   * Requests a second. A cycle is that of TCP's CUBIC: fast towards the rate that was refused,
   * slowly near it, ever faster beyond.
   */
  #rate(nowMs: number): number {
    if (this.#peak === Infinity) return Infinity;
    const cycles = this.#troubleMs === undefined ? (nowMs - this.#sinceMs) / this.#cycleMs : 0;
    const beyond = cycles - 1;
    const grown = beyond < 0 ? cut * beyond ** 3 : (Math.exp(3 * beyond) - 1) / 20;
    return this.#peak * (1 + grown);
  }

  /** Pauses grow with the time that the trouble has lasted. */
  #backOff(nowMs: number): void {
    this.#troubleMs ??= nowMs;
    const pauseMs = Math.max(100, (nowMs - this.#troubleMs) * 0.4);
    const randomMs = pauseMs * (1 + this.options.random() / 2);
    this.#pausedUntilMs = nowMs + Math.min(maxBackOffMs, randomMs);
  }

  /** @param tokens 0 where they are not known */
  #settle(tokens: number): void {
    const counted = this.#pendingTokens / this.#inFlight;
    this.#pendingTokens -= counted;
    this.#inFlight -= 1;
    this.#before = Math.max(0, this.#before - 1);
    const { tpm } = this.options;
    if (tokens === 0 || tpm === undefined) return;
    this.#extraTokens = Math.max(0, this.#extraTokens + (tokens - counted) * 0.1);
    this.#nextTokenMs += (tokens - counted) * this.#tokenMs(tpm);
  }

  /** The last request of a minute comes on top of those that are spread over it. */
  #tokenMs(tpm: number): number {
    return (60_000 + spareMs) / (tpm - Math.min(tpm / 2, this.#largestTokens));
  }

  /** Requests that wait for others gain nothing in flight. */
  #followLatency(latencyMs: number): void {
    const round = this.#round;
    round.answers += 1;
    round.latencyMs += latencyMs;
    if (this.#mayGrow) {
      const rampStep = this.#ceiling < easyInFlight ? 1 : 1 / 4;
      const step = this.#isRamp ? rampStep : 1 / this.#ceiling;
      this.#ceiling = Math.min(this.#maxInFlight, this.#ceiling + step);
    }
    if (round.answers < this.#ceiling) return;
    const meanMs = round.latencyMs / round.answers;
    this.#round = { answers: 0, latencyMs: 0 };
    // Requests become longer, too: the lowest is forgotten in time.
    this.#minLatencyMs = Math.min(this.#minLatencyMs * 1.001, meanMs);
    this.#mayGrow = meanMs < 2 * this.#minLatencyMs + noQueueMs;
    if (meanMs < 4 * this.#minLatencyMs + noQueueMs) return;
    this.#isRamp = false;
    this.#ceiling = Math.max(Math.min(this.#ceiling, firstInFlight), this.#ceiling * 0.8);
  }
}

/** Where a run leaves what it has learned, by model. */
interface LearntLimits {
  read(): Record<string, Learnt> | undefined;
  keep(learnt: Record<string, Learnt>): void;
}

/** The limits of each model of a batch, of which the next run knows what this one has learned. */
export class ModelLimits {
  readonly #byModel = new Map<string, Limits>();
  readonly #learnt: Readonly<Record<string, Learnt>>;

  constructor(
    private readonly cache: LearntLimits,
    private readonly options: Omit<LimitOptions, 'learnt'>,
  ) {
    this.#learnt = cache.read() ?? {};
  }

  of({ model, row }: BatchRequest): Limits {
    const name = model ?? row.path;
    const known = this.#byModel.get(name);
    if (known) return known;
    const limits = new Limits({ ...this.options, learnt: this.#learnt[name] });
    this.#byModel.set(name, limits);
    return limits;
  }

  keep(): void {
    const saved = this.cache.read() ?? {};
    for (const [name, { learnt }] of this.#byModel) if (learnt) saved[name] = learnt;
    if (Object.keys(saved).length > 0) this.cache.keep(saved);
  }
}
