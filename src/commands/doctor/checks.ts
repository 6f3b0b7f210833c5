/** What `svc doctor` checks, one row each, in the order in which it is shown. */
import { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { platform, version, versions } from 'node:process';
import { TLSSocket } from 'node:tls';
import { codeOf, fileReason } from '../../files/file-trouble.js';
import { connect, hostOf } from '../../http/connect.js';
import { limit } from '../../http/deadline.js';
import { connectFailure } from '../../http/failure.js';
import { namedProxy } from '../../http/proxy.js';
import { AttemptFailed } from '../../http/types.js';
import { durationWords } from '../../lib/duration.js';
import { localeOf } from '../../lib/env.js';
import { dayMs } from '../../lib/moment.js';
import { shellWord } from '../../lib/names.js';
import { readOwn } from '../../lib/own-file.js';
import { configFile, readConfig } from '../../state/config.js';
import { baseUrlText } from '../../state/rules.js';
import type { CheckName, FindingTexts } from '../../texts/doctor.js';
import { protocolOf } from '../../terminal/picture.js';
import { takesColour } from '../../terminal/screen.js';
import { shownValue, sourceName } from '../config/config.js';
import { isSingleBinary, installation } from '../update/installation.js';
import type { Finding, Visit } from './visit.js';

export interface Check {
  readonly name: CheckName;
  /** They come first; if one finds a problem, this is not tried. */
  readonly needs?: readonly CheckName[];
  /** Whether it asks the network, so that --local leaves it out. */
  readonly isRemote?: boolean;
  /** @throws SvcError, AttemptFailed */
  readonly find: (visit: Visit) => Finding | Promise<Finding>;
}

export const checks: readonly Check[] = [
  {
    name: 'runtime',
    find: ({ findings }) =>
      isSingleBinary ? findings.singleBinary(`Bun ${versions['bun']}`) : `Node ${version}`,
  },
  {
    name: 'svc',
    find: ({ context, findings }) => {
      const { by, path } = installation();
      return findings.installed(context.version, by, path);
    },
  },
  {
    name: 'config',
    find: ({ context: { paths }, findings }) => {
      readConfig(paths);
      return privateFile(configFile(paths), findings);
    },
  },
  {
    name: 'data',
    find: async ({ context: { paths }, findings }) => {
      const { StateDatabase } = await import('../../state/database.js');
      return privateFile(new StateDatabase(paths).path, findings);
    },
  },
  {
    name: 'address',
    needs: ['config'],
    isRemote: true,
    find: (visit) => {
      const { sources } = visit.context.settings();
      return `${baseUrlText(visit.service())} (${sourceName(visit.texts.sources, 'base_url', sources.baseUrl)})`;
    },
  },
  {
    name: 'clock',
    needs: ['connection'],
    isRemote: true,
    find: async (visit) => {
      const aheadMs = await visit.aheadMs();
      const { noAnswer, noDate, otherTime, sameTime } = visit.findings;
      if (aheadMs === undefined) return { skipped: noAnswer };
      if (Number.isNaN(aheadMs)) return { skipped: noDate };
      return Math.abs(aheadMs) <= 60_000 ? sameTime : otherTime(aheadMs, setClock);
    },
  },
  {
    name: 'proxy',
    needs: ['address'],
    isRemote: true,
    find: (visit) => {
      const match = namedProxy(visit.service(), visit.context.env);
      if (!match) return visit.findings.noProxy;
      const { variable, proxy } = match;
      return visit.findings.proxy(`${proxy.protocol}//${proxy.host}`, variable);
    },
  },
  {
    name: 'certificates',
    isRemote: true,
    find: ({ context: { env }, findings }) => {
      if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') return findings.uncheckedCertificates;
      const file = env['NODE_EXTRA_CA_CERTS'];
      if (!file) return findings.certificates();
      try {
        new X509Certificate(readOwn(file));
        return findings.certificates(file);
      } catch (error) {
        const [code = ''] = /^E[A-Z]+$/.exec(codeOf(error) ?? '') ?? [];
        return findings.unusedCertificates(file, fileReason(error), code);
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
      const addresses = places.map(({ address }) => address);
      return visit.findings.resolves(name, addresses);
    },
  },
  {
    name: 'connection',
    needs: ['dns'],
    isRemote: true,
    find: async (visit) => {
      const { context, findings } = visit;
      const { clock, signal } = context;
      const limits = { timeoutMs: visit.limitMs, signal, proxy: visit.proxy() };
      const socket = await connect(visit.service(), limits);
      try {
        if (!(socket instanceof TLSSocket)) return findings.notEncrypted;
        const { issuer, valid_to: validTo } = socket.getPeerCertificate();
        const by = [issuer.O ?? issuer.CN].flat().join(', ');
        const leftMs = Date.parse(validTo) - clock.now();
        const until = new Date(validTo).toISOString().slice(0, 10);
        const words = findings.encrypted(socket.getProtocol() ?? '', by, until);
        if (leftMs > 14 * dayMs) return words;
        return { warning: words, hint: findings.renewCertificate };
      } finally {
        socket.destroy();
      }
    },
  },
  {
    name: 'key',
    needs: ['connection'],
    find: async (visit) => {
      const { context, findings, texts } = visit;
      await visit.balance();
      if (context.flags.local) return findings.keyNotNeeded;
      const { value, source } = shownValue(await context.keyed(), 'key');
      return findings.keyAccepted(String(value), sourceName(texts.sources, 'key', source));
    },
  },
  {
    name: 'balance',
    needs: ['key'],
    find: async (visit) => {
      const { balance_rub: leftRub } = (await visit.balance()).data;
      const { lowBalanceRub = 0 } = visit.context.settings();
      const isEnough = leftRub > 0 && leftRub >= lowBalanceRub;
      return isEnough ? visit.findings.balance(leftRub) : visit.findings.lowBalance(leftRub);
    },
  },
  { name: 'terminal', find: terminalAbilities },
  {
    name: 'unfinished',
    needs: ['data', 'address'],
    find: async (visit) => {
      const { unfinishedWork } = await import('./unfinished.js');
      return unfinishedWork(visit);
    },
  },
];

const setClock =
  new Map<string, string>([
    ['darwin', 'sudo sntp -sS time.apple.com'],
    ['win32', 'w32tm /resync'],
  ]).get(platform) ?? 'sudo timedatectl set-ntp true';

/** A file of svc's own: only for its owner, on a disk that can be written. */
function privateFile(file: string, findings: FindingTexts): Finding {
  const folder = dirname(file);
  let parent = folder;
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    // What only reads works.
    return findings.cannotWrite(parent, fileReason(error), codeOf(error) ?? '');
  }
  const { bavail, bsize } = statfsSync(parent);
  if (bavail * bsize < leastBytes) {
    return findings.diskIsFull(parent, `df -h ${shellWord(parent)}`);
  }
  const shared = [folder, file].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  );
  if (shared.length > 0 && platform !== 'win32') {
    const lines = shared.map((path) => `chmod ${path === file ? '600' : '700'} ${shellWord(path)}`);
    return { warning: findings.isShared(shared), hint: lines.join(' && ') };
  }
  return existsSync(file) ? file : findings.notWritten(file);
}

/** What a config file or a few events of the ledger need. */
const leastBytes = 1024 * 1024;

async function terminalAbilities({ context, findings }: Visit): Promise<Finding> {
  const { env, out } = context;
  if (!out.isScreen) return findings.noTerminal;
  const { TERM = '' } = env;
  const locale = localeOf(env);
  const words = findings.terminal({
    name: TERM,
    columns: out.columns,
    hasColours: takesColour(env, true),
    images: await protocolOf(env),
    locale,
  });
  if (platform === 'win32') return words;
  if (/^(?:|dumb|unknown)$/.test(TERM)) {
    return { warning: `${words}: ${findings.unknownTerminal}`, hint: 'export TERM=xterm-256color' };
  }
  if (locale === undefined || /utf-?8/i.test(locale)) return words;
  return { warning: `${words}: ${findings.wrongLetters}`, hint: 'export LC_ALL=C.UTF-8' };
}
