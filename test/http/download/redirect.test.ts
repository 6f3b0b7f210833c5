/** Where a download follows to, and what goes along. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redirectTarget } from '../../../src/http/download/request.js';
import { testFolder } from '../../helpers/folder.js';
import { scripted } from '../../helpers/scripted-transport.js';
import { rejection } from '../rig.js';
import { arrives, content, downloading, fetchTo, goodReply, host, type Reply } from './host.js';
import { download } from '../../../src/http/download/download.js';

const file = content(50_000);
const to = (location: string, status = '302 Found'): Reply => ({
  status,
  headers: { location, 'content-length': 0 },
});
const ours = {
  headers: { 'user-agent': 'svc-cli/1' },
  credentials: { origin: '', headers: { authorization: 'Bearer sk-svc-key' } },
};
const withKeyFor = ({ origin }: URL) => ({
  ...ours,
  credentials: { ...ours.credentials, origin },
});

describe('a redirect', () => {
  it.each(['301 Moved', '302 Found', '303 Other', '307 Temporary', '308 Permanent'])(
    'of %s is followed with all headers on the same origin',
    async (status) => {
      const { url, asks } = await host((ask) =>
        ask.path === '/real?a=1' ? goodReply(file, ask) : to('/real?a=1#part', status),
      );
      await arrives(url, file, withKeyFor(url));
      for (const { headers } of asks) {
        expect(headers).toMatchObject({ ...ours.headers, ...ours.credentials.headers });
      }
    },
  );

  it('to another origin sends nothing of ours, not even on the way back', async () => {
    const path = join(testFolder(), 'a.bin');
    const store = await host(({ path: asked }) =>
      asked === '/back'
        ? to(new URL('/real', url).href)
        : goodReply(file, { from: undefined, headers: {} }),
    );
    const { url, asks } = await host((ask) =>
      ask.path === '/real' ? goodReply(file, ask) : to(new URL('/back', store.url).href),
    );
    await fetchTo(url, path, withKeyFor(url));
    expect(asks[0]?.headers).toHaveProperty('authorization');
    for (const ask of [store.asks[0], asks[1]]) {
      const names = Object.keys(ask?.headers ?? {}).sort();
      expect(names).toEqual(['accept', 'accept-encoding', 'connection', 'host']);
    }
  });

  it('is followed five times, and not a sixth', async () => {
    const path = join(testFolder(), 'a.bin');
    const after = (hops: number) =>
      host((ask) => (ask.nth > hops ? goodReply(file, ask) : to(`/${ask.nth}`)));
    await fetchTo((await after(5)).url, path);
    const { url, asks } = await after(6);
    expect(await rejection(fetchTo(url, `${path}2`))).toMatchObject({
      name: 'DownloadRefused',
      message: 'the service answered 302: it redirects more than 5 times, and svc does not follow',
    });
    expect(asks).toHaveLength(6);
    expect(readdirSync(join(path, '..'))).toEqual(['a.bin']);
  });

  it('that is not followed sends nothing, and says why', async () => {
    const script = scripted({ status: 302, headers: { location: 'http://elsewhere.test/x' } });
    const url = new URL('https://service.test/file');
    const { transport } = script;
    const path = join(testFolder(), 'a.bin');
    expect(await rejection(download(downloading(url, path, { transport })))).toMatchObject({
      message:
        'the service answered 302: it points to elsewhere.test, unencrypted, and svc does not follow',
    });
    expect(script.requests).toHaveLength(1);
  });
});

const asksWith = async (search: string, origin?: string) => {
  const { url, asks } = await host((ask) => goodReply(file, ask));
  url.search = search;
  const credentials = { ...ours.credentials, origin: origin ?? url.origin };
  await fetchTo(url, join(testFolder(), 'a.bin'), { ...ours, credentials });
  return asks[0]?.headers;
};

it.each([
  ['?sig=abc', undefined],
  ['?a=1&sig=', undefined],
  ['', 'https://service.test'],
  ['', 'http://127.0.0.1'],
  ['', 'http://localhost'],
  ['', ''],
])('a key never goes with a signed link, or elsewhere: %j, %j', async (search, origin) => {
  expect(await asksWith(search, origin)).not.toHaveProperty('authorization');
});

describe('where a redirect may lead', () => {
  it.each([
    ['https://a.test/x', '/y?b=1#c', 'https://a.test/y?b=1'],
    ['https://a.test/x', '//b.test/y', 'https://b.test/y'],
    ['https://a.test/x', 'https://b.test:8443/y', 'https://b.test:8443/y'],
    ['http://127.0.0.1:1/x', 'http://localhost:2/y', 'http://localhost:2/y'],
  ])('from %s to %s', (from, location, target) => {
    expect(String(redirectTarget(new URL(from), location))).toBe(target);
  });

  it.each([
    ['https://a.test/x', 'http://a.test/y', 'it points to a.test, unencrypted'],
    ['http://a.test/x', 'http://b.test/y', 'it points to b.test, unencrypted'],
    ['http://127.0.0.1/x', 'http://a.test/y', 'it points to a.test, unencrypted'],
    ['https://a.test/x', 'file:///etc/passwd', 'it does not point to a web page'],
    ['https://a.test/x', 'https://u:p@b.test/', 'it contains a user name or password for b.test'],
    ['https://a.test/x', 'http://[', 'it points nowhere'],
    ['https://a.test/x', undefined, 'it points nowhere'],
  ])('but not from %s to %s', (from, location, why) => {
    expect(redirectTarget(new URL(from), location)).toBe(why);
  });
});
