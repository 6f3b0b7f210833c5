/** The proxy of a request, by the environment, and the tunnel through it. */
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { ConfigError } from '../errors.js';
import { isLoopback } from '../lib/address.js';
import { connectFailure } from './failure.js';
import { AttemptFailed } from './types.js';

export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/** By the URL's scheme, then ALL_PROXY, unless NO_PROXY names the host. @throws ConfigError */
export function proxyFor(url: URL, env: ProxyEnv): URL | undefined {
  return namedProxy(url, env)?.proxy;
}

/** The same, with the name of its variable. @throws ConfigError */
export function namedProxy(url: URL, env: ProxyEnv) {
  if (isLoopback(url.hostname)) return undefined;
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const names = [`${scheme}_proxy`, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  // An empty lower-case variable disables the upper-case one.
  const variable = names.find((name) => env[name] !== undefined) ?? '';
  const value = env[variable]?.trim() ?? '';
  if (value === '' || isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  const problem = proxyProblem(proxy);
  if (proxy && problem === undefined) return { variable, proxy };
  const hint = `set ${variable} to http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, or unset it`;
  throw new ConfigError(`${variable} ${problem}`, { code: 'bad_proxy', hint });
}

/** In words that omit the address, which may contain a password. */
function proxyProblem(proxy: URL | undefined): string | undefined {
  if (!proxy || proxy.host === '') return 'is not the address of a proxy';
  const { hash, pathname, protocol, search } = proxy;
  if (!/^(https?|socks(4a?|5h?)?):$/.test(protocol)) {
    return `is a ${protocol.slice(0, -1)} proxy, which svc does not support`;
  }
  // Else a part of the password would be taken for the host.
  if (`${pathname}${search}${hash}`.includes('@')) {
    return 'has a password with /, ? or #: write them as %2F, %3F and %23';
  }
  // RFC 1929
  const isTooLong = [proxy.username, proxy.password].some(
    (part) => Buffer.byteLength(decoded(part)) > 255,
  );
  const isSocks = protocol.startsWith('socks');
  return isSocks && isTooLong ? 'has a user name or password of more than 255 bytes' : undefined;
}

function isExempt(url: URL, list: string): boolean {
  const host = bare(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return (list.toLowerCase().match(/[^\s,]+/g) ?? []).some((entry) => {
    if (entry === '*') return true;
    if (entry.includes('/')) return isInNetwork(host, entry);
    // An IPv6 address has colons of its own: only brackets, or a single colon, mark a port.
    const [, name = entry, onlyPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
    if (onlyPort !== undefined && onlyPort !== port) return false;
    // `example.com`, `.example.com` and `*.example.com` all mean the name and all below it.
    const suffix = bare(name).replace(/^\*?\./, '');
    return host === suffix || (suffix !== '' && !net.isIP(host) && host.endsWith(`.${suffix}`));
  });
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$|\.$/g, '');
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const type = net.isIPv6(address) ? 'ipv6' : 'ipv4';
  const list = new net.BlockList();
  try {
    list.addSubnet(address, bits === '' ? NaN : Number(bits), type);
    return list.check(host, type);
  } catch {
    return false;
  }
}

/** The same connection, now to the service. @throws AttemptFailed */
export function openTunnel(connection: net.Socket, url: URL, proxy: URL): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const target = `${url.hostname}:${url.port || '443'}`;
    const ask = http.request({
      createConnection: () => connection,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
    });
    ask.once('connect', ({ statusCode = 0 }, socket: Duplex, early: Buffer) => {
      if (statusCode >= 200 && statusCode <= 299 && socket instanceof net.Socket) {
        if (early.length > 0) socket.unshift(early);
        resolve(socket);
        return;
      }
      const isLogin = statusCode === 407;
      const refuses = `refuses to connect (${statusCode})`;
      const why = isLogin ? 'requires a user name and password' : refuses;
      const words = `${url.host}: the proxy ${proxy.host} ${why}`;
      reject(new AttemptFailed(isLogin ? 'proxy-login' : 'connect', false, words));
    });
    ask.once('error', (error) => reject(connectFailure(proxy, error, true)));
    ask.end();
  });
}

/** What an http service's request has behind an http proxy, which is asked for the full URL. */
export function askedOfProxy(url: URL, proxy: URL | undefined) {
  if (!proxy?.protocol.startsWith('http') || url.protocol !== 'http:') return {};
  return { path: url.href, headers: proxyHeaders(proxy) };
}

function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`);
  return { 'proxy-authorization': `Basic ${pair.toString('base64')}` };
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing stays unchanged.
    return text;
  }
}
