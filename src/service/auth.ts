/** Authenticates callers (section 5). */
import type { Endpoint } from '../contract/endpoint.js';
import type { ServiceRequest } from './body.js';
import type { App } from './call.js';
import { assertHolds, ServiceFailure, tooMany } from './failure.js';
import { accountCaller, findCaller, type Caller } from './store/accounts.js';

/** The service listens only on loopback, so callers have no other addresses. */
const callerAddresses = ['127.0.0.1', '::1'];

/** What a row says of it. */
export type Access = Pick<Endpoint, 'auth' | 'orSession'>;

export function authenticate(row: Access, request: ServiceRequest, app: App): Caller | undefined {
  if (row.auth === 'session') {
    const message = `this requires a cabinet session: the cookie ${app.brand.sessionCookie} with an account id`;
    const caller = sessionCaller(request, app);
    assertHolds(caller, 401, 'invalid_session', message);
    return caller;
  }
  if (row.auth !== 'bearer' && row.auth !== 'key') return undefined;
  // Wherever a key is required, either header may carry it (section 5.2).
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const apiKey = request.headers.get('x-api-key')?.trim();
  const keys = [bearer, apiKey].flatMap((key) => (key ? [key] : []));
  const session = row.orSession && keys.length === 0 ? sessionCaller(request, app) : undefined;
  if (session) return session;
  const [caller, other] = keys.flatMap((key) => findCaller(app.store, key) ?? []);
  const none = 'no key was sent; send Authorization: Bearer KEY, or x-api-key: KEY';
  const message = keys.length > 0 ? 'the key is not valid' : none;
  if (!caller) {
    const headers = { 'www-authenticate': 'Bearer' };
    throw new ServiceFailure(401, 'invalid_api_key', message, { headers });
  }
  const conflict = 'Authorization and x-api-key carry different keys: send one of them';
  assertHolds(!other || other.keyHash === caller.keyHash, 400, 'conflicting_keys', conflict);
  return caller;
}

/** @throws ServiceFailure 403 outside the key's allow-list, 429 beyond its rate */
export function admit({ allowList, retryAfterS }: Caller): void {
  const isAllowed = callerAddresses.some((address) => allowList.includes(address));
  const message = "your address is not in the key's allow-list";
  assertHolds(isAllowed || allowList.length === 0, 403, 'address_not_allowed', message);
  if (retryAfterS !== undefined) throw tooMany('too many requests', retryAfterS);
}

/** Section 5 does not show the cabinet's mechanism: here, a cookie holds the account's id. */
function sessionCaller(request: ServiceRequest, { store, brand }: App): Caller | undefined {
  const { headers, url } = request;
  const from = headers.get('origin');
  if (from !== null && from !== new URL(url).origin) return undefined;
  const name = brand.sessionCookie;
  const cookies = (headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  const value = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  return value === undefined ? undefined : accountCaller(store, value);
}
