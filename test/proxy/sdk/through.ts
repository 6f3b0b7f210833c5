/** Imported before the cases of a package: they ask the proxy, over the embedded service. */
import { onTestFinished } from 'vitest';
import { brandFrom, defaultBrand } from '../../../src/contract/brand.js';
import { inProcessTransport } from '../../../src/http/in-process.js';
import { Proxy } from '../../../src/proxy/proxy.js';
import { FakeClock } from '../../service/helpers.js';
import { way } from '../../service/sdk/peer.js';

way.isDirect = false;
way.to = (service, { key, url }) => {
  const usual = { brand: brandFrom(defaultBrand), timeouts: {}, clock: new FakeClock() };
  const transport = inProcessTransport(service);
  const { signal } = new AbortController();
  let proxy: Proxy | undefined;
  const start = () => {
    const baseUrl = new URL(url());
    const client = { ...usual, baseUrl, key, signal, transport, userAgent: 'svc-cli/test' };
    // A clock that skips every wait would ask for prices without end.
    return new Proxy({ client, key, command: 'svc run', isFree: true });
  };
  onTestFinished(() => proxy?.end(0));
  return (request) => (proxy ??= start()).answer(request);
};
