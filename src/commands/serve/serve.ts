import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Context, Handler } from '../../context.js';
import { brandFrom, defaultBrand } from '../../contract/brand.js';
import { UsageError } from '../../errors.js';
import { fileReason } from '../../files/file-trouble.js';
import { isLoopback } from '../../lib/address.js';
import { localKey, localSession, seededKeys } from '../../service/keys.js';
import type { Service } from '../../service/service.js';
import { embeddedSettings, openEmbedded } from './embedded.js';
import { defaultHost, defaultPort, type serve } from './index.js';
import { listenAt } from './listening.js';
import { requestLog } from './log.js';

export const run: Handler<typeof serve> = async (context, { options }) => {
  const host = options.host ?? defaultHost;
  if (!isLoopback(host)) {
    const hint = 'use 127.0.0.1, ::1 or localhost: the embedded service accepts only this machine';
    throw new UsageError(`--host: ${host} is not a loopback address`, { hint });
  }
  const { out, env, clock, paths, signal } = context;
  const settings = embeddedSettings(env);
  const corpusPath = options.corpus ?? settings.corpusPath;
  if (corpusPath !== undefined) assertFolder(corpusPath);
  const service = openEmbedded({
    paths,
    clock,
    scriptPath: options.script ?? settings.scriptPath,
    corpusPath,
    inMemory: options.memory,
    jobTimeMs: options.jobTime ?? settings.jobTimeMs,
    imageDeadlineMs: options.imageDeadline,
    ticketReplyMs: options.replyTime ?? settings.ticketReplyMs,
    loopbackWebhooks: options.allowLoopbackWebhooks,
    allowFetch: options.allowFetch,
  });
  try {
    const port = options.port ?? defaultPort;
    const watch = requestLog(context);
    const hasTape = (options.record ?? options.replay) !== undefined;
    const answering = hasTape
      ? (await import('./taped.js')).taped(options, context, service)
      : service;
    const server = await listenAt(answering, { host, port, watch });
    await out.line(server.url);
    showKeys(context, server.url);
    out.note(`webhook secret of notifications: ${service.webhookSecret()}`);
    if (corpusPath !== undefined) void showCorpus(context, service, corpusPath);
    const tell = (line: string) => out.note(line);
    const delivered = service.deliver({ baseUrl: server.url, signal, tell });
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    await delivered;
  } finally {
    service.close();
  }
};

/** Reads the folder before the first search, which reports its errors. */
async function showCorpus({ out, signal }: Context, service: Service, path: string) {
  const count = await service.readCorpus().catch(() => undefined);
  if (count === undefined || signal.aborted) return;
  out.note(`${count} ${count === 1 ? 'text' : 'texts'} of ${path} can be searched`);
}

function assertFolder(path: string): void {
  try {
    readdirSync(path);
  } catch (error) {
    throw new UsageError(`--corpus: cannot read the folder ${path}: ${fileReason(error)}`, {
      code: 'corpus_unusable',
      hint: 'name a folder that contains .md or .txt files',
      cause: error,
    });
  }
}

function showKeys({ out }: Context, url: string): void {
  const brand = brandFrom(defaultBrand);
  out.note(`serving the embedded service on ${url}; stop it with Ctrl-C`);
  out.note(`  SVC_BASE_URL=${url} SVC_API_KEY=${localKey(brand)} svc chat -m local/guide "hi"`);
  out.note('keys:');
  for (const { name, use } of seededKeys) out.note(`  ${brand.keyPrefix}${name}  ${use}`);
  out.note(`cabinet session for /api/webhooks: cookie ${localSession(brand)}`);
}
