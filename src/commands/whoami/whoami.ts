import type { Handler } from '../../cli/declaration.js';
import { formatRub } from '../../lib/amounts.js';
import { baseUrlText, maskKey } from '../../state/rules.js';
import type { Settings } from '../../state/settings.js';
import { sourceName } from '../config/values.js';
import { proveKey } from '../login/prove.js';
import type { whoami } from './index.js';

/** Shows profile, base URL and masked key with where each comes from, and proves the key. */
export const run: Handler<typeof whoami> = async (context) => {
  const { flags, out } = context;
  const client = await context.client();
  const { balance_rub: balanceRub, currency = 'RUB' } = await proveKey(client, {
    unknownKey: 'svc login stores another; keys are made in the cabinet of the service',
    wrongAddress: 'add this address to the allow-list of the key in the cabinet',
    wrongUrl: 'check the base URL: svc config get base_url',
  });
  if (flags.local) {
    if (flags.json) await out.json({ local: true, balanceRub, currency });
    else await out.table(columns, [['Service', 'embedded', '--local'], balanceRow(balanceRub)]);
    return;
  }
  const settings = context.settings();
  const facts = factsOf(settings);
  if (flags.json) await out.json({ ...facts, balanceRub, currency });
  else await out.table(columns, [...rowsOf(settings, facts), balanceRow(balanceRub)]);
};

const columns = [{ title: 'WHAT' }, { title: 'VALUE' }, { title: 'FROM' }] as const;

function factsOf({ profile, baseUrl, key, sources }: Settings) {
  return {
    profile,
    profileSource: sources.profile,
    baseUrl: baseUrl && baseUrlText(baseUrl),
    baseUrlSource: sources.baseUrl,
    key: key === undefined ? undefined : maskKey(key),
    keySource: sources.key,
  };
}

function rowsOf({ sources }: Settings, facts: ReturnType<typeof factsOf>): string[][] {
  return [
    ['Profile', facts.profile, sourceName('profile', sources.profile)],
    ['Base URL', facts.baseUrl ?? '', sourceName('base_url', sources.baseUrl)],
    ['Key', facts.key ?? '', sourceName('key', sources.key)],
  ];
}

function balanceRow(balanceRub: number): string[] {
  return ['Balance', formatRub(balanceRub), 'the service'];
}
