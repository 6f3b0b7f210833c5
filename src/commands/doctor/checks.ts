/** What `svc doctor` checks, one row each, in the order in which it is shown. */
import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { platform, version, versions } from 'node:process';
import { TLSSocket } from 'node:tls';
import type { Context } from '../../context.js';
import { codeOf, fileReason } from '../../files/file-trouble.js';
import { connect, hostOf } from '../../http/connect.js';
import { limit } from '../../http/deadline.js';
import { connectFailure } from '../../http/failure.js';
import { namedProxy } from '../../http/proxy.js';
import { AttemptFailed } from '../../http/types.js';
import { formatRub } from '../../lib/amounts.js';
import { durationWords, formatAge } from '../../lib/duration.js';
import { localeOf } from '../../lib/env.js';
import { shellWord } from '../../lib/names.js';
import { readOwn } from '../../lib/own-file.js';
import { configFile, readConfig } from '../../state/config.js';
import { baseUrlText } from '../../state/rules.js';
import { protocolOf } from '../../terminal/picture.js';
import { takesColour } from '../../terminal/screen.js';
import { shownValue, sourceName } from '../config/config.js';
import { isSingleBinary, installation } from '../update/installation.js';
import type { Finding, Visit } from './visit.js';

export interface Check {
  readonly name: string;
  /** They come first; if one finds a problem, this is not tried. */
  readonly needs?: readonly string[];
  /** Whether it asks the network, so that --local leaves it out. */
  readonly isRemote?: boolean;
  /** @throws SvcError, AttemptFailed */
  readonly find: (visit: Visit) => Finding | Promise<Finding>;
}

const day = 24 * 60 * 60 * 1000;

export const checks: readonly Check[] = [
  {
    name: 'runtime',
    find: () => (isSingleBinary ? `single binary, Bun ${versions['bun']}` : `Node ${version}`),
  },
  {
    name: 'svc',
    find: ({ context }) => {
      const { by, path } = installation();
      return `${context.version}, installed with ${by} in ${path}`;
    },
  },
  {
    name: 'config',
    find: ({ context: { paths } }) => {
      readConfig(paths);
      return privateFile(configFile(paths));
    },
  },
  {
    name: 'data',
    find: async ({ context: { paths } }) => {
      const { StateDatabase } = await import('../../state/database.js');
      return privateFile(new StateDatabase(paths).path);
    },
  },
  {
    name: 'address',
    needs: ['config'],
    isRemote: true,
    find: (visit) => {
      const { sources } = visit.context.settings();
      return `${baseUrlText(visit.service())} (${sourceName('base_url', sources.baseUrl, visit.texts.sources)})`;
    },
  },
  {
    name: 'clock',
    needs: ['connection'],
    isRemote: true,
    find: async (visit) => {
      const aheadMs = await visit.aheadMs();
      if (aheadMs === undefined) return { skipped: 'the service did not answer' };
      if (Number.isNaN(aheadMs)) return { skipped: 'the service sends no date' };
      if (Math.abs(aheadMs) <= 60_000) return "within a minute of the service's clock";
      const distance = `${formatAge(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
      return { warning: `${distance} the service's clock`, hint: `set it: ${setClock}` };
    },
  },
  {
    name: 'proxy',
    needs: ['address'],
    isRemote: true,
    find: (visit) => {
      const match = namedProxy(visit.service(), visit.context.env);
      if (!match) return 'none for this address';
      const { variable, proxy } = match;
      return `through ${proxy.protocol}//${proxy.host} (${variable})`;
    },
  },
  {
    name: 'certificates',
    isRemote: true,
    find: ({ context: { env } }) => {
      if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
        const warning = 'no certificate is checked: NODE_TLS_REJECT_UNAUTHORIZED is 0';
        return { warning, hint: 'unset NODE_TLS_REJECT_UNAUTHORIZED' };
      }
      const file = env['NODE_EXTRA_CA_CERTS'];
      if (!file) return 'trusts the built-in root certificates';
      try {
        new X509Certificate(readOwn(file));
        return `trusts the built-in root certificates and those in ${file}`;
      } catch (error) {
        const reason = /^E[A-Z]+$/.test(codeOf(error) ?? '') ? fileReason(error) : 'not PEM';
        const warning = `the certificates in ${file} are not used: ${reason}`;
        return { warning, hint: 'set NODE_EXTRA_CA_CERTS to a PEM file, or unset it' };
      }
    },
  },
  {
    name: 'dns',
    needs: ['address', 'proxy'],
    isRemote: true,
    find: async (visit) => {
      const { limitMs } = visit;
      const proxy = visit.proxy();
      const url = proxy ?? visit.service();
      const name = hostOf(url);
      const tooLate = new Promise<never>((_resolve, reject) => {
        const words = `${name}: not looked up within ${durationWords(limitMs)}`;
        limit(limitMs, () => reject(new AttemptFailed('connect-timeout', false, words)));
      });
      const places = await Promise.race([lookup(name, { all: true }), tooLate]).catch(
        (error: unknown) => {
          throw connectFailure(url, error, proxy !== undefined);
        },
      );
      return `${name} resolves to ${places.map(({ address }) => address).join(', ')}`;
    },
  },
  {
    name: 'connection',
    needs: ['dns'],
    isRemote: true,
    find: async (visit) => {
      const { clock, signal } = visit.context;
      const limits = { timeoutMs: visit.limitMs, signal, proxy: visit.proxy() };
      const socket = await connect(visit.service(), limits);
      try {
        if (!(socket instanceof TLSSocket)) return 'connected, not encrypted';
        const { issuer, valid_to: validTo } = socket.getPeerCertificate();
        const by = [issuer.O ?? issuer.CN].flat().join(', ');
        const leftMs = Date.parse(validTo) - clock.now();
        const until = new Date(validTo).toISOString().slice(0, 10);
        const words = `${socket.getProtocol()}, certificate issued by ${by}, valid until ${until}`;
        if (leftMs > 14 * day) return words;
        return { warning: words, hint: 'ask the service to renew it: `svc tickets create`' };
      } finally {
        socket.destroy();
      }
    },
  },
  {
    name: 'key',
    needs: ['connection'],
    find: async (visit) => {
      const { context } = visit;
      await visit.balance();
      if (context.flags.local) return 'not needed with --local';
      const { value, source } = shownValue(await context.keyed(), 'key');
      return `${value} (${sourceName('key', source, visit.texts.sources)}), accepted by the service`;
    },
  },
  {
    name: 'balance',
    needs: ['key'],
    find: async (visit) => {
      const { balance_rub: leftRub } = (await visit.balance()).data;
      const { lowBalanceRub = 0 } = visit.context.settings();
      const left = formatRub(leftRub);
      if (leftRub > 0 && leftRub >= lowBalanceRub) return left;
      return { warning: `${left} left`, hint: 'top it up in the web cabinet of the service' };
    },
  },
  { name: 'terminal', find: ({ context }) => terminalAbilities(context) },
  {
    name: 'unfinished',
    needs: ['data', 'address'],
    find: async ({ context }) => {
      const { unfinishedWork } = await import('./unfinished.js');
      return unfinishedWork(context);
    },
  },
];

const setClock =
  new Map<string, string>([
    ['darwin', 'sudo sntp -sS time.apple.com'],
    ['win32', 'w32tm /resync'],
  ]).get(platform) ?? 'sudo timedatectl set-ntp true';

/** A file of svc's own: only for its owner, on a disk that can be written. */
function privateFile(file: string): Finding {
  const folder = dirname(file);
  let parent = folder;
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    // What only reads works.
    const hint = 'make it writable, or set SVC_CONFIG_DIR to another folder';
    return { warning: `svc cannot write to ${parent}: ${fileReason(error)}`, hint };
  }
  const { bavail, bsize } = statfsSync(parent);
  if (bavail * bsize < leastBytes) {
    const hint = `free some space: df -h ${shellWord(parent)}`;
    return { warning: `the disk of ${parent} is full`, hint };
  }
  const shared = [folder, file].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (shared.length > 0 && platform !== 'win32') {
    const lines = shared.map((path) => `chmod ${path === file ? '600' : '700'} ${shellWord(path)}`);
    return { warning: `other users may read ${shared.join(' and ')}`, hint: lines.join(' && ') };
  }
  return existsSync(file) ? file : `${file}, not written yet`;
}

/** What a config file or a few events of the ledger need. */
const leastBytes = 1024 * 1024;

async function terminalAbilities({ env, out }: Context): Promise<Finding> {
  if (!out.isScreen) return 'stdout is not a terminal';
  const { TERM = '' } = env;
  const locale = localeOf(env) ?? 'no locale';
  const colours = takesColour(env, true) ? 'colours' : 'no colours';
  const images = (await protocolOf(env)) ?? 'no';
  const words = `${TERM}, ${String(out.columns)} columns, ${colours}, ${images} images, ${locale}`;
  if (platform === 'win32') return words;
  if (/^(?:|dumb|unknown)$/.test(TERM)) {
    return { warning: `${words}: unknown terminal`, hint: 'export TERM=xterm-256color' };
  }
  if (locale === 'no locale' || /utf-?8/i.test(locale)) return words;
  return { warning: `${words}: letters may be shown wrongly`, hint: 'export LC_ALL=C.UTF-8' };
}
