/** The addresses that the service may request: public https, and this machine only when allowed. */
import { lookup as resolve } from 'node:dns';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isLoopback } from '../lib/address.js';
import { messageOf } from './failure.js';

const reservedIpv4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
const reservedIpv6 =
  '::/127 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 fc00::/7 ' +
  'fe80::/10 ff00::/8';
const reserved = new BlockList();
for (const [type, networks] of [['ipv4', reservedIpv4] as const, ['ipv6', reservedIpv6] as const]) {
  for (const network of networks.split(' ')) {
    const [address = '', prefix] = network.split('/');
    reserved.addSubnet(address, Number(prefix), type);
  }
}

const maxUrlLength = 2000;

/** The fault of an address, after its name: `must be an https URL`. */
export function addressFault(address: string, loopback = false): string | undefined {
  if (address.length > maxUrlLength) return `must be at most ${maxUrlLength} characters long`;
  if (!URL.canParse(address)) return 'must be an https URL';
  const url = new URL(address);
  if (isLoopback(url.hostname)) {
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    if (loopback && isWeb) return undefined;
    return 'must be a public https URL: notifications to this machine are not allowed here';
  }
  if (url.protocol !== 'https:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const host = hostOf(url);
  if (isIP(host) !== 0 && !mayReach(host)) return 'must be a public address';
  return undefined;
}

export function mayReach(ip: string, loopback = false): boolean {
  const version = isIP(ip);
  if (version === 0) return false;
  if (loopback && isLoopback(version === 6 ? `[${ip}]` : ip)) return true;
  return !reserved.check(ip, version === 6 ? 'ipv6' : 'ipv4');
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Resolves a name, and returns only allowed addresses. */
function guarded(loopback: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const open = error ? [] : addresses.filter(({ address }) => mayReach(address, loopback));
      const [first] = open;
      if (!first) callback(error ?? new Error('the address is not public'), '');
      else if (options.all) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly loopback: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The status of the answer, whose body is not read; redirects are not followed. */
export async function post({ url, headers, body, loopback, timeoutMs, signal }: Post) {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !mayReach(host, loopback)) throw new Error('the address is not public');
  const late = AbortSignal.timeout(timeoutMs);
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  const options = { method: 'POST', headers: all, signal: AbortSignal.any([signal, late]) };
  try {
    const response = await exchange(url, loopback, options, body);
    response.destroy();
    return response.statusCode ?? 0;
  } catch (error) {
    throw late.aborted ? new Error(`no answer in ${timeoutMs / 1000} s`) : error;
  }
}

function exchange(url: URL, loopback: boolean, options: RequestOptions, body = '') {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    send(url, { ...options, agent: false, lookup: guarded(loopback) })
      .once('error', reject)
      .once('response', resolve)
      .end(body);
  });
}

const maxRedirects = 3;
const redirects = [301, 302, 303, 307, 308];

/** Why a download failed; follows the name of the address. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** A 200 answer of an address; the same rules apply to every redirect. */
export async function get(address: string, signal: AbortSignal): Promise<IncomingMessage> {
  const isHere = (url: string) => URL.canParse(url) && isLoopback(new URL(url).hostname);
  const loopback = isHere(address);
  let at = address;
  for (let count = 0; count <= maxRedirects; count += 1) {
    if (isHere(at) && !loopback) {
      throw new Unreachable('points to this machine, which is not allowed');
    }
    const fault = addressFault(at, loopback);
    if (fault !== undefined) throw new Unreachable(fault);
    const answer = await exchange(new URL(at), loopback, { signal }).catch((error: unknown) => {
      throw new Unreachable(`could not be fetched: ${messageOf(error)}`);
    });
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return answer;
    answer.destroy();
    const { location } = headers;
    if (!redirects.includes(statusCode) || location === undefined) {
      throw new Unreachable(`could not be fetched: its address answered ${statusCode}`);
    }
    if (!URL.canParse(location, at)) throw new Unreachable('has no address');
    at = new URL(location, at).href;
  }
  throw new Unreachable(`redirects more than ${maxRedirects} times`);
}
