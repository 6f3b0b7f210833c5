/** Sends the requests of a batch: as many at once as the limits allow, each until it is settled. */
import { hash } from 'node:crypto';
import { isOfGateway } from '../api/failure.js';
import { charactersPerToken } from '../contract/limits.js';
import { ApiError, SvcError } from '../errors.js';
import { backOffMs } from '../http/retry.js';
import type { Limits } from './limits.js';
import type { LineReservation } from './money.js';
import { answerLine, errorLine, failureLine, outcomeOf, PendingLines } from './outcome.js';
import { Queue, type QueuedRequest } from './queue.js';
import type { BatchAnswer, BatchRequest } from './request.js';
import type { Work } from './work.js';

/** Attempts that fail without a word about limits, and those that are refused for one. */
const maxAttempts = 5;
const maxRefusals = 50;
/** A service that asks for a longer one ends the run. */
const maxPauseMs = 60 * 60 * 1000;
/** Requests read ahead, for models that may be asked while another waits. */
const maxQueued = 512;
/** Characters of answers from the cache, which need no waiting: they are written in between. */
const maxUnwritten = 256 * 1024;

/** A request that is being sent. */
interface Attempt {
  readonly sending: QueuedRequest;
  readonly limits: Limits;
  readonly reservation: LineReservation;
  readonly sentAtMs: number;
}

export class Engine {
  /** What ends the run for all requests; what is in flight is still awaited. */
  #ended: Error | undefined;
  /** Ends its sleep. */
  #wake: (() => void) | undefined;
  /** Counts what may let it go on. */
  #news = 0;
  readonly #queue: Queue;
  /** The requests of the present block that have not been taken. */
  #block: readonly BatchRequest[] = [];
  #at = 0;
  #isOver = false;
  #taken = 0;
  #starting: (() => void)[] = [];
  #records = '';
  readonly #lines: PendingLines;
  #errorLines = '';
  #errorRecords = '';

  constructor(private readonly work: Work) {
    this.#queue = new Queue(work.limitsOf);
    this.#lines = new PendingLines(work.isOrdered);
  }

  /** Resolves when everything is settled. @throws what ended it earlier, after what was in flight */
  async run(): Promise<void> {
    const { progress, requests, stop } = this.work;
    const blocks = requests[Symbol.asyncIterator]();
    stop.addEventListener('abort', this.#awaken, { once: true });
    try {
      for (;;) {
        const news = this.#news;
        await this.#write();
        const isStopped = () => stop.aborted || this.#ended !== undefined;
        let waitMs = Infinity;
        try {
          if (!isStopped()) waitMs = await this.#startAll(blocks);
        } catch (error) {
          this.#end(error);
        }
        await this.#begin();
        // What has just been settled is written first.
        if (news !== this.#news) continue;
        const isDone = isStopped() || (this.#isOver && this.#queue.length === 0);
        if (isDone && progress.inFlight === 0) break;
        await this.#sleep(waitMs);
      }
    } finally {
      stop.removeEventListener('abort', this.#awaken);
      await blocks.return?.();
    }
    this.#lines.flush();
    await this.#write();
    progress.unsaved = this.#lines.text.split('\n').length - 1;
    progress.done -= progress.unsaved;
    if (this.#ended) throw this.#ended;
  }

  /** Starts what may be sent now. @returns how long to wait, in milliseconds. @throws what ends the run */
  async #startAll(blocks: AsyncIterator<readonly BatchRequest[]>): Promise<number> {
    const nowMs = this.work.clock.now();
    this.#queue.update(nowMs);
    let waitMs = this.#queue.dueMs - nowMs;
    for (const limits of this.#queue.limits) {
      waitMs = Math.min(waitMs, await this.#startSome(limits, nowMs));
    }
    // A model that waits for its limits does not hold up the others.
    const isFull = () => this.#lines.isFull(this.#taken) || this.#lines.text.length > maxUnwritten;
    while (this.#queue.length < maxQueued && !isFull()) {
      const request = this.#block[this.#at];
      if (request) {
        this.#at += 1;
        if (!this.work.isWanted(request) || (await this.#isCached(request))) continue;
        const limits = this.#queue.add(request, this.#taken);
        this.#taken += 1;
        waitMs = Math.min(waitMs, await this.#startSome(limits, nowMs));
        continue;
      }
      if (this.#isOver) break;
      await this.#begin();
      const next = await blocks.next();
      this.#isOver = next.done === true;
      [this.#block, this.#at] = [next.done ? [] : next.value, 0];
    }
    return waitMs;
  }

  /** Takes an earlier answer, if there is one: nothing is recorded, reserved or sent for it. */
  async #isCached(request: BatchRequest): Promise<boolean> {
    const { cached, progress } = this.work;
    const answer = await cached?.(request);
    if (!answer || answer.fault) return false;
    this.#lines.put(this.#taken, answerLine(request, answer, { attempts: 0, ms: 0 }));
    this.#taken += 1;
    this.#news += 1;
    progress.cached += 1;
    progress.done += 1;
    return true;
  }

  /** @returns how long the first that is left has to wait, in milliseconds */
  async #startSome(limits: Limits, nowMs: number): Promise<number> {
    for (;;) {
      const sending = this.#queue.first(limits);
      if (!sending) return Infinity;
      const limitMs = limits.waitMs(nowMs);
      if (limitMs > 0) return limitMs;
      const reserved = this.work.money.reserve(sending.request);
      const reservation = reserved instanceof Promise ? await reserved : reserved;
      if (!reservation) return Infinity;
      this.#queue.removeFirst(limits);
      this.#start({ sending, limits, reservation, sentAtMs: nowMs });
    }
  }

  #start(attempt: Attempt): void {
    const { progress, send } = this.work;
    const { limits, reservation, sending, sentAtMs } = attempt;
    const { request } = sending;
    if (sending.attempts === 0) sending.firstSentAtMs = sentAtMs;
    sending.attempts += 1;
    progress.inFlight += 1;
    limits.sent(sentAtMs, request.body.length / charactersPerToken);
    const bodyHash = hash('sha256', request.body).slice(0, 16);
    this.#records += `+${bodyHash} ${JSON.stringify(request.id)}\n`;
    this.#starting.push(() => {
      send(reservation.limited ?? request).then(
        (answer) => this.#settle(() => this.#answered(attempt, answer)),
        (error: unknown) => this.#settle(() => this.#failed(attempt, error)),
      );
    });
  }

  #settle(take: () => void): void {
    try {
      take();
    } catch (error) {
      this.#end(error);
    }
    this.work.progress.inFlight -= 1;
    this.#awaken();
  }

  #end(error: unknown): void {
    this.#ended ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Sends what has been started: its records are on the disk first. */
  async #begin(): Promise<void> {
    const { progress, sinks } = this.work;
    const starting = this.#starting;
    this.#starting = [];
    try {
      if (this.#records !== '') sinks.note(this.#records);
      this.#records = '';
      if (starting.length > 0) await sinks.syncNotes();
    } catch (error) {
      // What could not be noted is not sent.
      this.#records = this.#records.replaceAll(/^\+.*\n/gm, '');
      this.#end(error);
      progress.inFlight -= starting.length;
      return;
    }
    for (const start of starting) start();
  }

  #answered({ limits, reservation, sending, sentAtMs }: Attempt, answer: BatchAnswer): void {
    const { clock, progress } = this.work;
    const { request, nth, attempts, firstSentAtMs } = sending;
    const { costRub, generationId, tokens } = answer;
    const nowMs = clock.now();
    limits.answered(nowMs, nowMs - sentAtMs, tokens);
    reservation.settle(costRub, generationId);
    progress.tokens += tokens;
    const line = answerLine(request, answer, { attempts, ms: nowMs - firstSentAtMs });
    if (answer.fault) this.#putFailure(nth, line, request, answer.fault, answer);
    else {
      progress.done += 1;
      if (answer.cached) progress.cached += 1;
      this.#lines.put(nth, line);
    }
  }

  /** @param line of OUT, unless failures have a file of their own */
  #putFailure(nth: number, line: string, ...failure: Parameters<typeof errorLine>): void {
    const { progress, sinks } = this.work;
    progress.failed += 1;
    this.#lines.put(nth, sinks.addErrors ? '' : line);
    if (!sinks.addErrors) return;
    this.#errorLines += errorLine(...failure);
    this.#errorRecords += `!${JSON.stringify(failure[0].id)}\n`;
  }

  #failed({ limits, reservation, sending }: Attempt, error: unknown): void {
    const { clock, progress, stop } = this.work;
    const { request, nth, attempts, firstSentAtMs } = sending;
    if (!(error instanceof SvcError)) throw error;
    const nowMs = clock.now();
    const outcome = outcomeOf(error);
    if (error instanceof ApiError && error.status === 429) {
      limits.refused(nowMs, error.retryAfterMs);
    } else limits.failed(nowMs, outcome !== 'failed');
    if (outcome === 'unknown') {
      reservation.settle(undefined);
      progress.unknown.push(request);
      this.#lines.put(nth, '');
      if (error instanceof ApiError && isOfGateway(error)) this.#ended ??= error;
      return;
    }
    reservation.release();
    if (outcome === 'failed') {
      const effort = { attempts, ms: nowMs - firstSentAtMs };
      this.#putFailure(nth, failureLine(request, error, effort), request, error);
      return;
    }
    this.#records += `-${JSON.stringify(request.id)}\n`;
    if (outcome === 'refused') sending.refusals += 1;
    const isLast = attempts - sending.refusals >= maxAttempts || sending.refusals >= maxRefusals;
    const isAlone = isLast && progress.done + progress.failed === 0;
    const requestedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    if (outcome === 'end' || isAlone || requestedMs > maxPauseMs) this.#ended ??= error;
    if (this.#ended || isLast || stop.aborted) {
      this.#lines.put(nth, '');
      return;
    }
    const delayMs = backOffMs(attempts, clock.random(), 30_000);
    sending.dueMs = outcome === 'refused' ? nowMs : nowMs + delayMs;
    this.#queue.addLater(sending);
  }

  /** Writes what has been settled; what fails stays, and is tried again. */
  async #write(): Promise<void> {
    const { sinks } = this.work;
    const { text } = this.#lines;
    try {
      if (this.#errorLines !== '') sinks.addErrors?.(this.#errorLines);
      this.#records += this.#errorRecords;
      this.#errorLines = this.#errorRecords = '';
      if (text !== '') await sinks.add(text);
      this.#lines.text = this.#lines.text.slice(text.length);
    } catch (error) {
      if (!this.#ended) await this.#writeEach();
      this.#end(error);
    }
  }

  /** The disk may have room for some. */
  async #writeEach(): Promise<void> {
    const { sinks } = this.work;
    for (const line of this.#lines.text.split(/(?<=\n)/)) {
      try {
        await sinks.add(line);
        this.#lines.text = this.#lines.text.slice(line.length);
      } catch {
        return;
      }
    }
  }

  readonly #awaken = (): void => {
    this.#news += 1;
    const wake = this.#wake;
    this.#wake = undefined;
    // After the other answers that have just arrived.
    if (wake) setImmediate(wake);
  };

  async #sleep(ms: number): Promise<void> {
    const news = new Promise<void>((resolve) => (this.#wake = resolve));
    if (ms === Infinity) return news;
    const over = new AbortController();
    const slept = this.work.clock.sleep(Math.ceil(ms), over.signal).catch(() => undefined);
    await Promise.race([news, slept]);
    over.abort();
  }
}
