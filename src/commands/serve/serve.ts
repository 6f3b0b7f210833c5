import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { brandFrom, defaultBrand } from '../../contract/brand.js';
import { UsageError } from '../../errors.js';
import { isLoopback } from '../../lib/loopback.js';
import { localKey, seededKeys } from '../../service/keys.js';
import { listen } from '../../service/listen.js';
import { createService } from '../../service/service.js';
import { localStorePath } from '../../state/local-store.js';
import { defaultHost, defaultPort, type serve } from './index.js';

/** Serves until it is interrupted. */
export const run: Handler<typeof serve> = async (context, { options }) => {
  const host = options.host ?? defaultHost;
  if (!isLoopback(host)) {
    throw new UsageError(`--host: ${host} is not a loopback address`, {
      code: 'usage',
      hint: 'the embedded service is for this machine alone: 127.0.0.1, ::1 or localhost',
    });
  }
  const { out, env, clock, paths, signal } = context;
  const service = createService({
    storePath: options.memory ? ':memory:' : localStorePath(paths),
    clock,
    scriptPath: options.script ?? env['SVC_LOCAL_SCRIPT'],
  });
  try {
    const server = await listen(service, { host, port: options.port ?? defaultPort });
    await out.line(server.url);
    tellKeys(context, server.url);
    await aborted(signal);
    await server.close();
  } finally {
    service.close();
  }
};

function tellKeys({ out }: Context, url: string): void {
  const brand = brandFrom(defaultBrand);
  out.note(`serving the embedded service on ${url}; Ctrl-C ends it`);
  out.note(`  SVC_BASE_URL=${url} SVC_API_KEY=${localKey(brand)} svc chat -m local/guide "hi"`);
  out.note('keys:');
  for (const { name, use } of seededKeys) out.note(`  ${brand.keyPrefix}${name}  ${use}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
