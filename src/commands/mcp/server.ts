/**
 * An MCP server, which asks its client for nothing. That of the SDK, with the schemas of all messages, would take a
 * third of the time until the first answer.
 */
import { UsageError } from '../../errors.js';
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

export class McpServer {
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #running = new Set<RunningRequest>();

  constructor(
    about: { readonly serverInfo: object; readonly instructions: string },
    methods: Readonly<Record<string, Method>>,
    private readonly send: (message: object) => Promise<void>,
    private readonly clock: Clock,
  ) {
    const initialize: Method = {
      types: {
        params: 'object',
        'params.protocolVersion': 'string',
        'params.capabilities': 'object',
        'params.clientInfo': 'object',
        'params.clientInfo.name': 'string',
        'params.clientInfo.version': 'string',
      },
      answer: ({ protocolVersion }) => ({
        protocolVersion: versions.find((one) => one === protocolVersion) ?? versions[0],
        capabilities: { tools: {} },
        ...about,
      }),
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
      for (const running of this.#running) if (running.id === id) running.controller.abort();
    }
  }

  /** Aborts what is being answered, and waits for it. */
  async end(): Promise<void> {
    for (const { controller } of this.#running) controller.abort();
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
    const answer = async (): Promise<unknown> => {
      try {
        return await method.answer(params, { signal, onProgress });
      } finally {
        done.abort();
      }
    };
    try {
      const result = await answer();
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
