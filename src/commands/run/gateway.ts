/** The proxy of a run on its address: what svc run and svc proxy have in common. */
import { randomBytes } from 'node:crypto';
import { costLimitMs } from '../../api/cost.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import { grouped } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import type { ModelRule, ProxyAddress, ProxyWatcher } from '../../proxy/proxied.js';
import { Proxy, type ProxyOptions } from '../../proxy/proxy.js';
import type { Totals } from '../../proxy/totals.js';
import { TurnLog } from '../../proxy/turn-log.js';
import { accountFor } from '../../state/account.js';
import { openTape, type TapeOptions } from '../../tapes/taped.js';
import { listenAt } from '../serve/listening.js';

export interface Gateway {
  readonly address: ProxyAddress;
  readonly totals: Totals;
  /** The key of the account, which no program must learn. */
  readonly secret: string | undefined;
  /** Takes no more requests, and waits a while for prices that are still open. */
  readonly close: () => Promise<void>;
}

interface Asked extends Pick<ProxyOptions, 'command' | 'rules'> {
  readonly watcher: ProxyWatcher;
  /** As the log has it; undefined where no turn is logged. */
  readonly program: string | undefined;
  /** 0: any that is free. */
  readonly port: number;
  readonly model?: string | undefined;
  /** By itself one that is made for this run. */
  readonly key?: string | undefined;
  readonly tape: TapeOptions;
}

/** @throws UsageError where the port is taken, ConfigError without a key */
export async function openGateway(
  context: Context,
  { model, port, program, watcher, ...asked }: Asked,
): Promise<Gateway> {
  const { flags, out, paths, settings } = context;
  const { key = `sk-run-${randomBytes(16).toString('hex')}` } = asked;
  const tape = openTape(asked.tape, context);
  const isFree = tape?.isOffline === true;
  const connected = await context.client({ isOffline: isFree });
  const answer: Proxy['answer'] = (request) => proxy.answer(request);
  const server = await listenAt({ answer }, { host: '127.0.0.1', port });
  const baseUrl = flags.local ? new URL(server.url) : connected.baseUrl;
  const client = { ...connected, baseUrl };
  const transport = tape?.over(client.transport, baseUrl);
  const account = accountFor(context, client);
  const warn = (words: string) => out.warn(words);
  const isLogged = program !== undefined && !isFree && settings().log !== 'off';
  const log = isLogged ? new TurnLog({ paths, account, program, warn }) : undefined;
  const onLimited = (maxTokens: number) => {
    const limit = `one of ${grouped(maxTokens)} tokens`;
    out.note(
      `requests without a limit on the answer get ${limit}, so that their price has a limit`,
    );
  };
  const watchers = log ? [watcher, log] : [watcher];
  const own = { client, isFree, key, onLimited, transport, watchers };
  const proxy = new Proxy({ ...asked, ...own });
  return {
    address: { rootUrl: server.url, key, model },
    totals: proxy.totals,
    secret: client.key,
    close: async () => {
      await server.close();
      await proxy.end(costLimitMs);
      await log?.finish();
    },
  };
}

/** `gpt-*=vendor/a,*=vendor/b`: the first that fits a model counts. @throws UsageError */
export function modelRules(texts: readonly string[]): ModelRule[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((rule) => {
      const [, pattern, model] = /^\s*([^=\s]+)\s*=\s*([^=\s*]+)\s*$/.exec(rule) ?? [];
      if (pattern !== undefined && model !== undefined) return { pattern, model };
      const words = `--model-map: ${JSON.stringify(plainText(rule, 100))} is not a rule NAME=MODEL`;
      throw new UsageError(words, { hint: "write it like 'gpt-*=vendor/a,*=vendor/b'" });
    });
}
