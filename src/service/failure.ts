/** Refusals of the service, in the form of each family of endpoints. */

export interface FailureDetails {
  /** The field at fault: `messages[0].content`. */
  param?: string;
  headers?: Readonly<Record<string, string>>;
  fields?: Readonly<Record<string, unknown>>;
}

export class ServiceFailure extends Error {
  override readonly name = 'ServiceFailure';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: FailureDetails = {},
  ) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @throws ServiceFailure where something does not hold */
export function assertHolds(
  holds: unknown,
  status: number,
  code: string,
  message: string,
): asserts holds {
  if (!holds) throw new ServiceFailure(status, code, message);
}

export function badRequest(message: string, param?: string, code = 'invalid_request') {
  return new ServiceFailure(400, code, message, param === undefined ? {} : { param });
}

/** A 429 that names what was too frequent, and how long to wait. */
export function tooMany(what: string, waitS: number) {
  const message = `${what}: wait ${waitS} ${waitS === 1 ? 'second' : 'seconds'}`;
  const headers = { 'retry-after': String(waitS) };
  return new ServiceFailure(429, 'rate_limit_exceeded', message, { headers });
}

export type Family = 'chat' | 'messages' | 'media' | 'tickets';

export function familyOf(pathname: string): Family {
  if (/^\/v1\/messages(\/|$)/.test(pathname)) return 'messages';
  if (/^\/v1\/(tickets|technical-feedback)(\/|$)/.test(pathname)) return 'tickets';
  return pathname.startsWith('/api/media/') ? 'media' : 'chat';
}

/** The `type` of an error, by status; both families use the same words. */
const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  501: 'not_implemented_error',
  503: 'overloaded_error',
  529: 'overloaded_error',
};

export function failureType(status: number): string {
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

export function failureBody(family: Family, failure: ServiceFailure, requestId: string): object {
  const { message, code, status, details } = failure;
  const { fields, param } = details;
  // Section 2.15.
  if (family === 'tickets') return { error: message, code };
  if (family === 'media') return { ok: false, code, message, param, ...fields };
  const type = failureType(status);
  if (family === 'messages') {
    return { type: 'error', error: { type, message, code, ...fields }, request_id: requestId };
  }
  return { error: { message, type, code, param: param ?? null, ...fields } };
}
