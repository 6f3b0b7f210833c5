/**
 * An MCP server, which asks its client only for the consent of its user. Why it is not that of the SDK:
 * docs/design/terminal.md.
 */
import { Interrupted, UsageError } from '../../errors.js';
import type { Clock } from '../../lib/clock.js';
import { fieldText, isRecord, recordOf, withDigits, type JsonRecord } from '../../lib/json.js';
import { progressTo } from './progress.js';
import { errorCodes, faultIn, ProtocolError, type Message } from './wire.js';

/** What a method gets beside the params of its request. */
export interface Exchange {
  /** Aborted when the client cancels the request or the server ends; then there is no answer. */
  readonly signal: AbortSignal;
  /** Tells the client what is being done, where it has sent a token for that; without news, the last again. */
  readonly onProgress: ((words: string) => void) | undefined;
  /**
   * Has the client show its user a form, and resolves with the result; absent where it cannot.
   * @throws Error for an error in its place, or none in time, or when the signal is aborted
   */
  readonly ask: ((form: object, signal: AbortSignal) => Promise<JsonRecord>) | undefined;
}

/** How the requests of one method are answered. */
export interface Method {
  /** The types of what is read of a request, by path; `?` ends the path of what may be absent. */
  readonly types: Readonly<Record<string, 'string' | 'object'>>;
  /** @throws UsageError for params that do not fit, ProtocolError for what is not served */
  readonly answer: (params: JsonRecord, exchange: Exchange) => unknown;
}

interface RunningRequest {
  readonly id: string;
  readonly controller: AbortController;
  /** Resolves when it has been answered or aborted. */
  readonly end: Promise<unknown>;
}

/** The versions of the protocol, newest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** Why a call ends: its run takes it as Ctrl-C. */
export const cancelled = () => new Interrupted('the call was cancelled');

/** A person reads the form; a client that has forgotten it must not hold a call for ever. */
const answerLimitMs = 10 * 60 * 1000;

export class McpServer {
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #running = new Set<RunningRequest>();
  /** Who waits for an answer of the client, by the id of the request. */
  readonly #asked = new Map<unknown, (response: JsonRecord) => void>();
  #lastAsked = 0;
  /** Whether the client shows forms. */
  #hasForms = false;

  constructor(
    about: { readonly serverInfo: object; readonly instructions: string },
    methods: Readonly<Record<string, Method>>,
    private readonly send: (message: object) => Promise<void>,
    private readonly clock: Clock,
  ) {
    const initialize: Method = {
      types: {
        'params.protocolVersion': 'string',
        'params.capabilities': 'object',
        'params.clientInfo.name': 'string',
        'params.clientInfo.version': 'string',
      },
      answer: ({ capabilities, protocolVersion: asked }) => {
        this.#hasForms = hasForms(recordOf(capabilities)['elicitation']);
        const protocolVersion = versions.find((one) => one === asked) ?? versions[0];
        return { protocolVersion, capabilities: { tools: {} }, ...about };
      },
    };
    const ping: Method = { types: {}, answer: () => ({}) };
    this.#methods = new Map(Object.entries({ initialize, ping, ...methods }));
  }

  /** Takes a message. A request is answered when its result is known. */
  receive(message: Message): void {
    if ('id' in message) {
      const controller = new AbortController();
      const end = this.#answer(message, controller.signal).finally(() => {
        this.#running.delete(running);
      });
      const running = { id: idText(message, 'id'), controller, end };
      this.#running.add(running);
    } else if (message.method === 'notifications/cancelled') {
      const id = idText(recordOf(message.params), 'requestId');
      for (const running of this.#running)
        if (running.id === id) running.controller.abort(cancelled());
    }
  }

  /** @returns whether it is the answer to a question; one that comes too late counts as well. */
  takeAnswer(response: JsonRecord): boolean {
    const { id } = response;
    this.#asked.get(id)?.(response);
    const number = /^svc-(\d+)$/.exec(typeof id === 'string' ? id : '')?.[1];
    return Number(number) <= this.#lastAsked;
  }

  /** Aborts what is being answered, and waits for it. */
  async end(): Promise<void> {
    for (const { controller } of this.#running) controller.abort(cancelled());
    await Promise.all([...this.#running].map(({ end }) => end));
  }

  async #answer(request: Message, signal: AbortSignal): Promise<void> {
    const { method: name, params = {} } = request;
    const method = this.#methods.get(name);
    const send = async (message: object) => {
      if (!signal.aborted) await this.send(message);
    };
    const fault = (code: number, words: string, data?: object) =>
      send(faultIn(request, code, words, data));
    if (!method) return fault(errorCodes.methodNotFound, 'Method not found');
    const misfit = Object.entries(method.types).find((type) => !hasType(request, ...type));
    if (misfit) {
      const name = misfit[0].replace('?', '');
      return fault(errorCodes.invalidParams, `${name} is missing or has a wrong type`);
    }
    const done = new AbortController();
    const ended = AbortSignal.any([signal, done.signal]);
    const { clock } = this;
    const onProgress = progressTo(recordOf(params['_meta']), { clock, send, ended });
    const ask: Exchange['ask'] = this.#hasForms ? (...asked) => this.#ask(...asked) : undefined;
    const answer = () => method.answer(params, { signal, onProgress, ask });
    try {
      // No progress comes after the answer.
      const result = await Promise.resolve()
        .then(answer)
        .finally(() => done.abort());
      await send(withDigits({ result, jsonrpc: '2.0', id: request.id }, request));
    } catch (error) {
      if (error instanceof UsageError) {
        const { code, hint, message } = error;
        return fault(errorCodes.invalidParams, message, { code, hint });
      }
      if (error instanceof ProtocolError) return fault(error.code, error.message);
      return fault(errorCodes.internal, error instanceof Error ? error.message : 'Internal error');
    }
  }

  async #ask(form: object, signal: AbortSignal): Promise<JsonRecord> {
    const { clock, send } = this;
    const id = `svc-${(this.#lastAsked += 1)}`;
    const ended = new AbortController();
    const answered = new Promise<JsonRecord>((resolve) => this.#asked.set(id, resolve));
    const late = clock.sleep(answerLimitMs, AbortSignal.any([signal, ended.signal])).then(() => {
      throw new Error('the user did not answer within 10 minutes');
    });
    try {
      void send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: form });
      const { error, result } = await Promise.race([answered, late]).catch((reason: unknown) => {
        // The client may take the form away.
        const method = 'notifications/cancelled';
        void send({ jsonrpc: '2.0', method, params: { requestId: id } });
        throw reason;
      });
      if (!isRecord(result) || error !== undefined)
        throw new Error('the client could not ask the user');
      return result;
    } finally {
      this.#asked.delete(id);
      ended.abort();
    }
  }
}

/** Whether the capability includes forms: without a mode, it means them. */
function hasForms(elicitation: unknown): boolean {
  if (!isRecord(elicitation)) return false;
  return isRecord(elicitation['form']) || Object.keys(elicitation).length === 0;
}

function hasType(request: Message, path: string, type: 'string' | 'object'): boolean {
  const [name = '', optional] = path.split('?');
  const value = name.split('.').reduce<unknown>((one, key) => recordOf(one)[key], request);
  if (value === undefined) return optional !== undefined;
  return type === 'object' ? isRecord(value) : typeof value === type;
}

/** The id 1 is not the id "1". */
function idText(holder: object, name: string): string {
  const value = recordOf(holder)[name];
  return typeof value === 'string' ? JSON.stringify(value) : fieldText(holder, name);
}
