/** A process that can be killed between any two of its steps, and the service it talks to. */
import { contextOver } from '../../test/helpers/context.js';
import { fakeKey } from '../../test/helpers/fake-service.js';
import type { FakeMedia } from '../../test/helpers/fake-media.js';
import { PollingClock } from '../../test/helpers/manual-clock.js';
import { makeJob } from '../../src/media/make-job.js';
import { fit } from '../../src/media/job-request.js';
import type { MediaSource } from '../../src/media/sources.js';
import { refresh } from '../../src/jobs/follow.js';
import type { JobEnv } from '../../src/jobs/job.js';
import { reconcile } from '../../src/jobs/submit.js';
import { brandFrom } from '../../src/contract/brand.js';
import type { HttpRequest, Transport } from '../../src/http/types.js';
import { accountOf } from '../../src/state/account.js';
import { Ledger } from '../../src/state/ledger.js';
import type { LedgerEvent } from '../../src/state/ledger-job.js';
import type { Paths } from '../../src/state/paths.js';
import { hostname } from 'node:os';

/** What a killed process does: nothing more. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A process id that no system gives. */
const unusedPid = 2 ** 31 - 2;

/** Says before each step whether the process still lives. */
type Heart = (step: string) => void;

/** Dies at the step of this number, counted from 0. */
export function killedAt(fatal: number): { heart: Heart; steps: string[] } {
  const steps: string[] = [];
  return {
    steps,
    heart: (step) => {
      if (steps.length >= fatal) throw new Killed(step);
      steps.push(step);
    },
  };
}

/** A process over a home folder and a service. */
export function startProcess(
  {
    home,
    media,
    clock = new PollingClock(),
  }: { home: string; media: FakeMedia; clock?: PollingClock },
  heart: Heart = () => undefined,
  around: (transport: Transport) => Transport = (transport) => transport,
) {
  const { signal } = new AbortController();
  const env = { SVC_CONFIG_DIR: home, SVC_BASE_URL: 'https://service.test', SVC_API_KEY: fakeKey };
  const { context } = contextOver({ env, clock, signal });
  const transport = around(mediaTransport(media));
  const jobEnv: JobEnv = {
    context,
    ledger: new MortalLedger(context.paths, heart),
    account: accountOf('default', 'https://service.test', fakeKey),
    owner: { id: 'test', pid: unusedPid, host: hostname() },
    output: undefined,
    atWork: {},
    client: {
      baseUrl: new URL('https://service.test'),
      brand: brandFrom('svc'),
      key: fakeKey,
      transport: async (request) => {
        const step = `${request.method} ${request.url.pathname}`;
        heart(`before ${step}`);
        const response = await transport(request);
        heart(`after ${step}`);
        return response;
      },
      timeouts: {},
      clock,
      signal,
      userAgent: 'svc-cli/test',
    },
  };
  return {
    jobEnv,
    /** `svc generate` as far as the id of the job. */
    generate: async ({ source }: { source?: MediaSource } = {}) => {
      const inputs = source ? [{ option: undefined, source }] : [];
      const request = await fit(
        {
          model: 'vendor/canvas',
          prompt: 'a lighthouse',
          texts: [],
          moreOptions: {},
          inputs,
          inline: source !== undefined,
          prefersInline: false,
          strict: undefined,
          webhookUrl: undefined,
          headers: {},
        },
        undefined,
      );
      return makeJob(jobEnv, request, {});
    },
    /** `svc jobs list`. */
    list: async () => {
      const unreconciled = await reconcile(jobEnv);
      await refresh(jobEnv, (work) => work(jobEnv));
      return unreconciled;
    },
  };
}

class MortalLedger extends Ledger {
  constructor(
    paths: Paths,
    private readonly heart: Heart,
  ) {
    super(paths);
    const { bodies } = this;
    const keep = bodies.keep.bind(bodies);
    bodies.keep = async (pieces) => {
      heart('before body');
      const kept = await keep(pieces);
      heart('after body');
      return kept;
    };
  }

  override append(event: LedgerEvent): void {
    this.heart(`before ${event.type}`);
    super.append(event);
    this.heart(`after ${event.type}`);
  }
}

/** The service in this process, without a socket. */
function mediaTransport(media: FakeMedia): Transport {
  return async ({ method, url, headers, body }) => {
    const text = await textOf(body);
    const reply = media.answer({ method, url: url.pathname + url.search, headers, body: text });
    const bytes =
      reply.bytes ?? Buffer.from(reply.json === undefined ? '' : JSON.stringify(reply.json));
    return {
      status: reply.status ?? 200,
      headers: { 'content-type': 'application/json', ...reply.headers },
      pipe: async (sink) => {
        await sink(bytes);
      },
      discard: () => undefined,
    };
  };
}

async function textOf(body: HttpRequest['body']): Promise<string> {
  if (body === undefined || typeof body === 'string') return body ?? '';
  if (body instanceof Uint8Array) return Buffer.from(body).toString('utf8');
  const pieces: Buffer[] = [];
  for await (const piece of body.open()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}
