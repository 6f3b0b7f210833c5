/** What the proxy hands over about each request of a program: to the log, the totals and the screen. */
import type { Usage } from '../api/chat/pieces.js';
import type { Answer } from '../api/chat/answer.js';
import type { Endpoint } from '../contract/endpoint.js';
import type { SvcError } from '../errors.js';

/** One request of a program, from its head until its answer has ended. */
export interface ProxiedRequest {
  readonly atMs: number;
  readonly method: string;
  /** As the program asked, without its query. */
  readonly path: string;
  /** Undefined where the contract has no such endpoint: then nothing was sent. */
  readonly row: Endpoint | undefined;
  /** The model that was sent; undefined where the body names none. */
  model?: string | undefined;
  /** The JSON body as it was sent, of a row with a `stream`; let go when `onEnd` has returned. */
  sent?: string | undefined;
  /** Of the answer that the program got; 0 while there is none. */
  status: number;
  /** From its head to the end of its answer. */
  ms?: number;
  /** Why the proxy itself refused it: nothing was sent then. */
  refusal?: SvcError | undefined;
  /** Whether all of the answer has arrived and was passed on. */
  isWhole: boolean;
  usage?: Usage | undefined;
  /** What arrived, of a row with a `stream`; bounded like that of svc chat, and let go as `sent`. */
  answer?: Answer | undefined;
  generationId?: string | undefined;
  /** What it cost, once that is known. 0 where nothing was charged. */
  priceRub?: number | undefined;
}

/** Follows the requests of a proxy. */
export interface ProxyWatcher {
  /** The answer has ended, or the program has hung up; the price may come later. */
  readonly onEnd?: (request: ProxiedRequest) => void;
  /** The price of one that has ended, the same object, has become known. */
  readonly onPrice?: (request: ProxiedRequest) => void;
}

/** A rule of --model-map: `gpt-*=vendor/a`. */
export interface ModelRule {
  /** A model's name, in which `*` stands for any characters. */
  readonly pattern: string;
  readonly model: string;
}

/** What a program needs to reach the proxy. */
export interface ProxyAddress {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly rootUrl: string;
  /** Made for this run; the account's own key is known to svc alone. */
  readonly key: string;
  /** The model that the program is told to use; undefined where it chooses. */
  readonly model: string | undefined;
}
