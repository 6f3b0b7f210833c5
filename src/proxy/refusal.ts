/** What the proxy itself answers, in the form of the request's format: programs show its message. */
import {
  ApiError,
  NetworkError,
  OutcomeUnknown,
  PriceTooHigh,
  SvcError,
  TimeoutError,
  UsageError,
} from '../errors.js';
import { json, type Reply } from '../service/call.js';
import { failureType, ServiceFailure } from '../service/failure.js';
import { shorterAnswer } from '../spending/price-limit.js';

/** A request that the proxy does not forward, or of which it has no answer. */
export interface Refusal {
  readonly status: number;
  readonly error: SvcError;
}

/** @param code as `error.code` of the answer has it */
export function refused(status: number, code: string, message: string): Refusal {
  return { status, error: new UsageError(message, { serviceCode: code }) };
}

/** The code of a request that a tape does not have. */
export const notOnTape = 'not_on_tape';

/** Whether a failure says that nothing was sent. */
export function isOfUnsent(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === notOnTape;
  return error instanceof SvcError && !(error instanceof OutcomeUnknown);
}

/**
 * Programs repeat a 429, a 5xx and a broken connection, so these mean that nothing was sent; what
 * may have been charged, and what was refused for its price, is a 4xx.
 */
export function refusalFor(error: unknown): Refusal {
  if (error instanceof ServiceFailure) return refused(error.status, error.code, error.message);
  if (error instanceof PriceTooHigh) return { status: 402, error };
  if (error instanceof ApiError && error.code === notOnTape) return { status: 404, error };
  const isUnreached = error instanceof NetworkError || error instanceof TimeoutError;
  if (error instanceof SvcError) return { status: isUnreached ? 502 : 400, error };
  const words = error instanceof Error ? error.message : String(error);
  return refused(400, 'bug', `svc stopped this request: ${words}; it may have been charged`);
}

/**
 * @param path of the request: the messages format has its own form
 * @param command in whose words the hint is: `svc run`
 */
export function refusalReply({ status, error }: Refusal, path: string, command: string): Reply {
  const message = sentence(error, command);
  const type = failureType(status);
  const inMessages = { type: 'error', error: { type, message } };
  const usual = { error: { message, type, code: error.code ?? 'refused', param: null } };
  const headers = status < 500 ? { 'x-should-retry': 'false' } : undefined;
  return json(/\/messages(?:\/|$)/.test(path) ? inMessages : usual, status, headers);
}

function sentence(error: SvcError, command: string): string {
  const { message, hint = '' } = error;
  const isUnsaid = error instanceof PriceTooHigh && !message.includes('nothing was sent');
  // The program has other options than svc chat.
  const words = hint.replace(shorterAnswer, '');
  return message + (isUnsaid ? '; nothing was sent' : '') + (words && ` (${command}: ${words})`);
}
