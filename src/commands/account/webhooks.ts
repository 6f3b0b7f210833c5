import { call } from '../../api/call.js';
import type { InputOf } from '../../command.js';
import type { Handler } from '../../context.js';
import { getWebhooks, setWebhooks } from '../../contract/account.js';
import { UsageError } from '../../errors.js';
import { recordOf, textOf } from '../../lib/json.js';
import { showFields } from '../fields.js';
import type * as declared from './index.js';

type Addresses = Partial<Record<'mediaWebhookUrl' | 'balanceWebhookUrl', string | null>>;

export const showWebhooks: Handler<typeof declared.showWebhooks> = async (context) => {
  const { data } = await call(await context.client({ key: 'optional' }), getWebhooks, {});
  await showFields(context, data);
};

/** Both are always sent: the effect of omitting one is not specified (section 4.10). */
export const setWebhook: Handler<typeof declared.setWebhook> = async (context, { options }) => {
  const addresses = addressesFrom(options);
  const client = await context.client({ key: 'optional' });
  const other: Addresses = {};
  for (const field of ['mediaWebhookUrl', 'balanceWebhookUrl'] as const) {
    if (field in addresses) continue;
    const now = recordOf((await call(client, getWebhooks, {})).data);
    if (field in now) other[field] = textOf(now[field]) ?? null;
  }
  const { data } = await call(client, setWebhooks, { body: { ...other, ...addresses } });
  await showFields(context, data);
};

/** Under --dry-run: the PATCH, without requesting the current addresses. */
export const showSetting: Handler<typeof declared.setWebhook> = async (context, { options }) => {
  const body = addressesFrom(options);
  await call(await context.client({ key: 'optional' }), setWebhooks, { body });
};

function addressesFrom({ media, balance }: InputOf<typeof declared.setWebhook>['options']) {
  const addresses: Addresses = {};
  if (media !== undefined) addresses.mediaWebhookUrl = addressFrom('--media', media);
  if (balance !== undefined) addresses.balanceWebhookUrl = addressFrom('--balance', balance);
  if (Object.keys(addresses).length > 0) return addresses;
  throw new UsageError('give --media, --balance or both', { hint: 'svc webhooks set --help' });
}

function addressFrom(flag: string, text: string): string | null {
  if (text === 'none') return null;
  // The parser would drop blanks and line breaks silently.
  const url = /\s/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  if (url?.protocol === 'https:') return text;
  const problem = url?.protocol === 'http:' ? 'must start with https://' : 'is not an https URL';
  throw new UsageError(`${flag} ${problem}`, {
    code: 'bad_url',
    hint: `use ${flag} https://host/path, or ${flag} none to remove it`,
  });
}
