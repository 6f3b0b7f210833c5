import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import type { Handler } from '../../cli/declaration.js';
import { getWebhooks, setWebhooks } from '../../contract/account.js';
import { UsageError } from '../../errors.js';
import { recordOf, textOf } from '../../lib/json.js';
import { showFields } from '../fields.js';
import type * as declared from './index.js';

type Field = 'mediaWebhookUrl' | 'balanceWebhookUrl';

/** An address of each kind: null takes it away. */
type Addresses = Readonly<Partial<Record<Field, string | null>>>;

/** Shows the account's notification addresses. */
export const showWebhooks: Handler<typeof declared.showWebhooks> = async (context) => {
  const { data } = await call(await context.client({ key: 'optional' }), getWebhooks, {});
  await showFields(context, data);
};

/** Sets the notification addresses. */
export const setWebhook: Handler<typeof declared.setWebhook> = async (context, { options }) => {
  const wanted = wantedFrom(options);
  const client = await context.client({ key: 'optional' });
  const body = { ...(await missing(client, wanted)), ...wanted };
  await showFields(context, (await call(client, setWebhooks, { body })).data);
};

/** Shows the request that counts: what stands there now is not asked for. */
export const showSetting: Handler<typeof declared.setWebhook> = async (context, { options }) => {
  const body = wantedFrom(options);
  await call(await context.client({ key: 'optional' }), setWebhooks, { body });
};

/** @throws UsageError for what is no https URL, or when nothing is to be set. */
function wantedFrom({ media, balance }: Readonly<Record<'media' | 'balance', string | undefined>>) {
  if (media === undefined && balance === undefined) {
    throw new UsageError('neither --media nor --balance says what to set', {
      code: 'usage',
      hint: 'svc webhooks set --help',
    });
  }
  return {
    ...(media === undefined ? {} : { mediaWebhookUrl: addressFrom('--media', media) }),
    ...(balance === undefined ? {} : { balanceWebhookUrl: addressFrom('--balance', balance) }),
  };
}

function addressFrom(flag: string, text: string): string | null {
  if (text === 'none') return null;
  // The parser would drop blanks and line breaks without a word.
  const url = /\s/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  if (url?.protocol === 'https:') return text;
  const problem = url?.protocol === 'http:' ? 'must begin with https://' : 'is no https URL';
  throw new UsageError(`${flag} ${problem}`, {
    code: 'bad_url',
    hint: `write ${flag} https://host/path, or ${flag} none to take it away`,
  });
}

/**
 * What the other address is now. What the service does with one that is left out is not shown
 * (section 4.10), so both are always sent.
 */
async function missing(client: Client, wanted: Addresses): Promise<Addresses> {
  const fields: readonly Field[] = ['mediaWebhookUrl', 'balanceWebhookUrl'];
  const left = fields.filter((field) => !(field in wanted));
  if (left.length === 0) return {};
  const { data } = await call(client, getWebhooks, {});
  const now = recordOf(data);
  return Object.fromEntries(
    left.filter((field) => field in now).map((field) => [field, textOf(now[field]) ?? null]),
  );
}
