/** Posts one notification. */
import { lookup as resolve } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { mayReach } from './address.js';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether this machine may be reached. */
  readonly loopback: boolean;
  /** How long the whole exchange may take, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * @returns the status of the answer, whose body is not read; a redirect is not followed
 * @throws Error when there was none
 */
export function post({ url, headers, body, loopback, timeoutMs, signal }: Post): Promise<number> {
  return new Promise((settle, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !mayReach(host, loopback)) {
      reject(new Error('the address is not public'));
      return;
    }
    const late = AbortSignal.timeout(timeoutMs);
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      lookup: guarded(loopback),
      signal: AbortSignal.any([signal, late]),
    });
    request.once('error', (error) => {
      reject(late.aborted ? new Error(`no answer in ${timeoutMs / 1000} s`) : error);
    });
    request.once('response', (response) => {
      settle(response.statusCode ?? 0);
      response.destroy();
    });
    request.end(body);
  });
}

/** Resolves a name, and gives away only addresses that may be reached. */
export function guarded(loopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const [first, ...rest] = error
        ? []
        : found.filter(({ address }) => mayReach(address, loopback));
      if (error) callback(error, '');
      else if (!first) callback(new Error('the address is not public'), '');
      else if (options.all) callback(null, [first, ...rest]);
      else callback(null, first.address, first.family);
    });
  };
}
