/** `svc proxy`: the proxy of svc run without a program of its own, for editors. */
import { once } from 'node:events';
import { costLimitMs } from '../../api/cost.js';
import type { Context, Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { grouped } from '../../lib/amounts.js';
import { shellWord } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { addressed } from '../../proxy/program-env.js';
import type { ProxiedRequest, ProxyWatcher } from '../../proxy/proxied.js';
import { lineLog } from '../serve/log.js';
import { modelRules, openGateway } from './gateway.js';
import { defaultPort, type proxy as declaration } from './index.js';
import { showTotals, summary } from './totals.js';

export const run: Handler<typeof declaration> = async (context, { options }) => {
  const { env, flags, grace, out, signal } = context;
  if (flags.dryRun) {
    throw new UsageError('svc proxy sends only what programs ask for: --dry-run shows nothing');
  }
  // After Ctrl-C prices are asked for.
  grace.ms = Math.max(grace.ms, costLimitMs + 1000);
  const rules = modelRules(options.modelMap);
  const lines = new Lines(context);
  const port = options.port ?? defaultPort;
  const key = ownKey(env);
  const program = options.log ? 'proxy' : undefined;
  const asked = { command: 'svc proxy', port, rules, watcher: lines, key, program };
  const gateway = await openGateway(context, { ...asked, tape: options });
  try {
    await out.line(gateway.address.rootUrl);
    out.note('programs on this machine reach the models with these variables; stop it with Ctrl-C');
    for (const [name, value] of Object.entries(addressed(gateway.address)))
      out.note(`  ${name}=${shellWord(value)}`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await gateway.close();
  }
  lines.end();
  await out.flush();
  out.note(`svc proxy: ${summary(gateway.totals, out.language)}`);
  await showTotals(out, gateway.totals);
};

/** SVC_PROXY_KEY, which an editor can keep. @throws UsageError for one that is easy to guess */
function ownKey(env: Context['env']): string | undefined {
  const key = env['SVC_PROXY_KEY'] ?? '';
  if (key === '' || /^[\x21-\x7e]{16,}$/.test(key)) return key || undefined;
  const words = 'SVC_PROXY_KEY has fewer than 16 characters, or blanks in it';
  throw new UsageError(words, { code: 'bad_setting', hint: 'make one: openssl rand -hex 16' });
}

/** How long a line of the log waits for the price of its request. */
const priceWaitMs = 3000;

/** The log: a line for each request, with its price where that is known soon. */
class Lines implements ProxyWatcher {
  readonly #write: ReturnType<typeof lineLog>;
  /** The requests whose line waits, and what ends that. */
  readonly #waiting = new Map<ProxiedRequest, AbortController>();

  constructor(private readonly context: Context) {
    this.#write = lineLog(context);
  }

  readonly onEnd = (request: ProxiedRequest): void => {
    const { priceRub, refusal, row, status } = request;
    const mayCost = row?.paid !== undefined && refusal === undefined && status < 400;
    if (priceRub !== undefined || !mayCost) {
      this.#line(request);
      return;
    }
    const known = new AbortController();
    this.#waiting.set(request, known);
    const show = () => this.#show(request);
    this.context.clock.sleep(priceWaitMs, known.signal).then(show, () => undefined);
  };

  readonly onPrice = (request: ProxiedRequest): void => this.#show(request);

  /** Writes what still waits. */
  end(): void {
    for (const request of this.#waiting.keys()) this.#show(request);
  }

  #show(request: ProxiedRequest): void {
    const known = this.#waiting.get(request);
    if (!known) return;
    this.#waiting.delete(request);
    known.abort();
    this.#line(request);
  }

  #line(request: ProxiedRequest): void {
    const { isWhole, model, ms = 0, path: target, priceRub = 0, refusal, usage = {} } = request;
    const tokens = (count: number | undefined, way: string) =>
      count === undefined ? [] : [`${grouped(count)} ${way}`];
    const named = model === undefined ? [] : [plainText(model, 60)];
    const counts = [...tokens(usage.inputTokens, 'in'), ...tokens(usage.outputTokens, 'out')];
    const about = [...named, ...counts].join(' · ');
    const isSent = isWhole || refusal !== undefined;
    this.#write({ ...request, target, ms, priceRub, about, isSent });
  }
}
