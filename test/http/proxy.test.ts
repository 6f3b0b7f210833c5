import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { proxyFor, type ProxyEnv } from '../../src/http/proxy.js';

function proxied(address: string, env: ProxyEnv): string | undefined {
  return proxyFor(new URL(address), env)?.href;
}

const proxy = 'http://proxy.test:3128/';

describe('the proxy of a URL', () => {
  it('goes by the scheme, in either case of the name', () => {
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']) {
      expect(proxied('https://service.test/', { [name]: proxy }), name).toBe(proxy);
    }
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']) {
      expect(proxied('http://service.test/', { [name]: proxy }), name).toBe(proxy);
    }
    expect(proxied('http://service.test/', { HTTPS_PROXY: proxy })).toBeUndefined();
    expect(proxied('https://service.test/', { HTTP_PROXY: proxy })).toBeUndefined();
  });

  it('prefers the scheme over ALL_PROXY, and lower case over upper', () => {
    const env = { ALL_PROXY: 'http://all.test', HTTPS_PROXY: 'http://own.test' };
    expect(proxied('https://service.test/', env)).toBe('http://own.test/');
    expect(proxied('https://service.test/', { ...env, https_proxy: 'http://low.test' })).toBe(
      'http://low.test/',
    );
    expect(proxied('https://service.test/', { ...env, https_proxy: '' })).toBeUndefined();
  });

  it.each([
    ['ftp://me:hunter22@proxy.test', /^HTTPS_PROXY/],
    ['socks5://', /^HTTPS_PROXY/],
    ['http://me:hunter22@:99999', /^HTTPS_PROXY/],
    // A part of the password would be taken for the host.
    ['http://me:x@hunter22/x@proxy.test', /^HTTPS_PROXY/],
    ['http://me:12/hunter22@proxy.test', /with [/], [?] or #: write them as %2F, %3F and %23/],
    [`socks5h://me:${'hunter22'.repeat(32)}@proxy.test`, /^HTTPS_PROXY/],
  ])('is refused when svc cannot use it, without its password: %.40s', (value, words) => {
    const act = () => proxied('https://service.test/', { HTTPS_PROXY: value });
    expect(act).toThrow(ConfigError);
    expect(act).toThrow(/^HTTPS_PROXY/);
    expect(act).toThrow(words);
    expect(act).not.toThrow(/hunter22/);
  });

  it('is never asked for loopback', () => {
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy };
    for (const host of ['localhost', '127.0.0.1', '127.9.8.7', '[::1]', '127.1']) {
      expect(proxied(`http://${host}:8080/`, env), host).toBeUndefined();
      expect(proxied(`https://${host}/`, env), host).toBeUndefined();
    }
    expect(proxied('http://localhost.evil.test/', env)).toBe(proxy);
    expect(proxied('http://127.0.0.1.evil.test/', env)).toBe(proxy);
  });
});

describe('NO_PROXY', () => {
  it.each<[list: string, address: string, direct: boolean]>([
    ['*', 'https://service.test/', true],
    ['service.test', 'https://service.test/', true],
    ['service.test', 'https://api.service.test/', true],
    ['.service.test', 'https://service.test/', true],
    ['*.service.test', 'https://a.b.service.test/', true],
    ['service.test', 'https://myservice.test/', false],
    ['other.test, service.test', 'https://service.test/', true],
    ['other.test', 'https://service.test/', false],
    ['service.test:443', 'https://service.test/', true],
    ['service.test:8443', 'https://service.test/', false],
    ['service.test:8443', 'https://service.test:8443/', true],
    ['10.0.0.1', 'https://10.0.0.1/', true],
    ['10.0.0.0/8', 'https://10.200.0.1/', true],
    ['10.0.0.0/8', 'https://11.0.0.1/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['fd12::1', 'https://[fd12::1]/', true],
  ])('"%s" covers %s: %s', (list, address, isDirect) => {
    const env = { HTTPS_PROXY: proxy, NO_PROXY: list };
    expect(proxied(address, env)).toBe(isDirect ? undefined : proxy);
  });

  it('is read in lower case first', () => {
    const env = { HTTPS_PROXY: proxy, NO_PROXY: '*', no_proxy: 'other.test' };
    expect(proxied('https://service.test/', env)).toBe(proxy);
  });
});
