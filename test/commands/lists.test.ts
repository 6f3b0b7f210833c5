/** Every list, in each of its forms. */
import { homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { listCommand, listedAtMs } from '../helpers/list-command.js';
import { Log } from '../../src/state/log.js';
import { pathsFrom } from '../../src/state/paths.js';
import { turn } from './logs/scene.js';

const nothing = () => ({});

listCommand({
  line: 'keys list',
  asks: '/v1/keys',
  from: {
    reply: {
      object: 'list',
      data: [
        { id: 'k1', object: 'api_key', name: 'ci', ip_allow_list: ['203.0.113.9'] },
        { id: 'k2', object: 'api_key', name: 'laptop', sandbox: true, last_used_at: null },
      ],
    },
  },
  terminal: [
    'ID  NAME    IP ALLOW LIST  SANDBOX',
    'k1  ci      203.0.113.9',
    'k2  laptop                 yes',
  ],
  pipe: ['k1\tci\t\t\t["203.0.113.9"]\t\t\t', 'k2\tlaptop\t\t\t\ttrue\t\t'],
});

listCommand({
  line: 'usage list',
  asks: '/v1/generations',
  from: {
    reply: {
      data: [
        {
          id: 'gen_2',
          model: 'vendor/two\u001b[2J',
          promptTokens: 1200,
          completionTokens: 34,
          priceRub: 1.25,
          createdAt: '2026-11-02T10:00:00.000Z',
          extra: { a: [1] },
        },
        { id: 'gen_1', model: null, priceRub: -0.5, createdAt: '2026-11-01T09:00:00Z' },
      ],
      page: 1,
      limit: 20,
      total: 2,
    },
  },
  terminal: [
    'TIME     MODEL              IN  OUT      PRICE  ID',
    '2 h ago  vendor/two␛[2J  1,200   34   1.25 RUB  gen_2',
    '1 d ago                              -0.50 RUB  gen_1',
  ],
  pipe: [
    '2026-11-02T10:00:00.000Z\tvendor/two\u001b[2J\t1200\t34\t1.25\tgen_2',
    '2026-11-01T09:00:00Z\t\t\t\t-0.5\tgen_1',
  ],
  empty: [{ reply: { data: [] } }, 'no usage records'],
});

listCommand({
  line: 'usage keys',
  asks: '/v1/usage',
  from: {
    reply: {
      object: 'list',
      period: 'month',
      data: [
        { key: 'ci', route: ':fast', address_as: 'vendor/one:fast', requests: 12, priceRub: 3.5 },
        { key: 'laptop\u0007', requests: 3, models: ['vendor/one'] },
      ],
    },
  },
  terminal: [
    'KEY      VARIANT  MODEL ID         REQUESTS     PRICE  MODELS',
    'ci       :fast    vendor/one:fast        12  3.50 RUB',
    'laptop␇                                   3            vendor/one',
    '',
    'Period  month',
  ],
  pipe: [
    'ci\t\t:fast\tvendor/one:fast\t12\t\t\t3.5\t',
    'laptop\u0007\t\t\t\t3\t\t\t\t["vendor/one"]',
  ],
  empty: [{ reply: { data: [] } }, 'no key has been used'],
});

const voice = 'voice_00000000000000000001';

listCommand({
  line: 'voices list',
  asks: '/api/media/voices',
  from: {
    reply: {
      voices: [
        {
          id: voice,
          name: 'narrator',
          engine: 'extvoice',
          status: 'active',
          sample_seconds: 41.5,
          monthly_fee: { amount: 1500, currency: 'RUB' },
          next_charge_at: '2026-03-01T00:00:00.000Z',
          deletion_at: null,
        },
      ],
      pricing: { creation: { standard: 50, premium: 150 }, storage: 'ask' },
    },
  },
  // The id is cut before a column is left out.
  columns: 60,
  terminal: [
    'ID               NAME      STATUS   MONTHLY FEE  NEXT CHARGE',
    'voice_00000000…  narrator  active  1,500.00 RUB  246 d ago',
    '',
    'Creation  standard 50.00 RUB, premium 150.00 RUB',
    'Storage   ask',
  ],
  pipe: [`${voice}\tnarrator\textvoice\tactive\t1500\t2026-03-01T00:00:00.000Z\t\t41.5`],
});

listCommand({
  line: 'image list',
  asks: '/v1/images/generations',
  from: {
    reply: {
      object: 'list',
      data: [
        { id: 'job_7', model: 'v/m', status: 'succeeded', created: 1793610000, cost_rub: 2.4 },
        { id: 'job_6' },
      ],
    },
  },
  terminal: [
    'JOB    MODEL  STATE       PRICE  CREATED',
    'job_7  v/m    done     2.40 RUB  3 h ago',
    'job_6  -      unknown         -  -',
  ],
  pipe: ['job_7\tv/m\tdone\t2.4\t2026-11-02T09:00:00.000Z', 'job_6\t-\tunknown\t-\t-'],
  json: {
    object: 'list',
    data: [
      {
        ...{ id: 'job_7', model: 'v/m', state: 'done', status: 'succeeded' },
        ...{ created: 1793610000, cost_rub: 2.4 },
      },
      { id: 'job_6', state: 'unknown' },
    ],
  },
});

listCommand({
  line: 'tickets list',
  asks: '/v1/tickets',
  from: {
    reply: {
      object: 'list',
      data: [
        {
          id: 't2',
          status: 'closed',
          updatedAt: '2026-11-02T11:00:00.000Z',
          category: 'general',
          subject: '漢字'.repeat(40),
        },
      ],
      hasMore: false,
      nextCursor: null,
    },
  },
  columns: 60,
  terminal: [
    'ID  STATUS  CHANGED  CATEGORY  SUBJECT',
    't2  closed  1 h ago  general   漢字漢字漢字漢字漢字漢字漢字…',
  ],
  pipe: [`t2\tclosed\t2026-11-02T11:00:00.000Z\tgeneral\t${'漢字'.repeat(40)}`],
  empty: [{ reply: { data: [], hasMore: false } }, 'no tickets'],
});

/** A conversation of two turns a minute apart, the second an hour ago. */
function logged() {
  const home = testFolder();
  const log = new Log(pathsFrom({ SVC_CONFIG_DIR: home }));
  const atMs = listedAtMs - 3_600_000;
  const { id, conversation } = log.add(
    turn('How is\ntea made?', 'Hot.', { name: 'tea', atMs: atMs - 60_000 }),
  );
  log.add(turn('And milk?', 'After.', { conversation, parent: id, atMs, priceRub: null }));
  return { home };
}
const known = {
  ...{ conversation: 'c1', name: 'tea', model: 'vendor/one', format: 'chat' },
  ...{ service: 'https://x.test', usage: { inputTokens: 1000, outputTokens: 200 }, ms: 1234 },
  ...{ complete: true, finishReason: 'stop', ids: { generationId: 'gen-1' } },
};

listCommand({
  line: 'logs',
  from: logged,
  terminal: [
    'ID  TIME     CONVERSATION  MODEL       TOKENS     PRICE  QUESTION',
    '2   1 h ago  tea           vendor/one   1,200         -  And milk?',
    '1   1 h ago  tea           vendor/one   1,200  0.50 RUB  How is tea made?',
  ],
  pipe: [
    '2\t2026-11-02T11:00:00.000Z\ttea\tvendor/one\t1200\t-\tAnd milk?',
    '1\t2026-11-02T10:59:00.000Z\ttea\tvendor/one\t1200\t0.5\tHow is tea made?',
  ],
  json: [
    {
      ...known,
      ...{ id: 2, createdAt: '2026-11-02T11:00:00.000Z', cost: { priceRub: null } },
      ...{ question: 'And milk?', answer: 'After.' },
    },
    {
      ...known,
      ...{ id: 1, createdAt: '2026-11-02T10:59:00.000Z', cost: { priceRub: 0.5 } },
      ...{ question: 'How is\ntea made?', answer: 'Hot.' },
    },
  ],
});

listCommand({
  line: 'logs conversations',
  from: logged,
  terminal: [
    'ID  NAME  TURNS  LAST     FIRST QUESTION',
    'c1  tea       2  1 h ago  How is tea made?',
  ],
  pipe: ['c1\ttea\t2\t2026-11-02T11:00:00.000Z\tHow is tea made?'],
  json: [
    {
      ...{ id: 'c1', name: 'tea', turns: 2 },
      ...{ changedAt: '2026-11-02T11:00:00.000Z', question: 'How is\ntea made?' },
    },
  ],
});

listCommand({
  line: 'alias list',
  from: () => ({ home: homeWith({ aliases: { say: ['chat', 'two  words', "it's"] } }) }),
  terminal: ['ALIAS  COMMAND', `say    svc chat 'two  words' 'it'\\''s'`],
  pipe: [`say\tsvc chat 'two  words' 'it'\\''s'`],
  json: [{ name: 'say', words: ['chat', 'two  words', "it's"] }],
  empty: [nothing, `No aliases yet. To create one: svc alias set NAME 'chat -m MODEL'`],
});

const base_url = 'https://work.example';
const work = { base_url, key: 'sk-svc-0123456789abcdef', idle_timeout: '90s', low_balance: 50 };
const inConfig = () => ({
  home: homeWith({ profile: 'work', profiles: { work, home: { model: 'm' } } }),
});
const kinds = 'image video music audio 3d speech transcription embedding decision'.split(' ');
/** Each setting, its value, and where that is from, for people and for programs. */
const settings: readonly (readonly [string, string | number, string, string?])[] = [
  ['profile', 'work', 'config file', 'config'],
  ['base_url', 'https://work.example', 'profile'],
  ['key', 'sk-svc-0…cdef', 'profile'],
  ['brand', 'svc', 'default'],
  ['connect_timeout', '250ms', '--connect-timeout', 'flag'],
  ['idle_timeout', '90s', 'profile'],
  ['low_balance', 50, 'profile'],
];
const order =
  'profile base_url key key_command brand cache log accessible language model ... connect_timeout first_byte_timeout idle_timeout retry_wait low_balance budget_day budget_month';
const named = order
  .split(' ')
  .flatMap((name) => (name === '...' ? kinds.map((kind) => `model.${kind}`) : name));
const rows = named.map((name) => settings.find(([one]) => one === name) ?? [name, '', 'not set']);
/** What is in effect where nothing is set. */
const defaults: Readonly<Record<string, string>> = {
  cache: 'off',
  log: 'on',
  accessible: 'off',
  first_byte_timeout: '60s',
  retry_wait: '60s',
};

listCommand({
  line: 'config list --connect-timeout 250ms',
  from: inConfig,
  terminal: [['SETTING', 'VALUE', 'FROM'], ...rows].map(([name = '', value, from]) => {
    const shown = defaults[name] === undefined ? [value, from] : [defaults[name], 'default'];
    return `${name.padEnd(21)}${String(shown[0]).padEnd(22)}${shown[1]}`;
  }),
  pipe: rows.map((row) => row.slice(0, 3).join('\t')),
  json: {
    configFile: 'HOME/config.json',
    settings: Object.fromEntries(
      rows.map(([name, value, from, source = from]) => {
        const isSet = from !== 'not set';
        return [name, { value: isSet ? value : null, source: isSet ? source : null }];
      }),
    ),
  },
});

listCommand({
  line: 'config profiles',
  from: inConfig,
  terminal: [
    'PROFILE  BASE URL              KEY            IN USE',
    'work     https://work.example  sk-svc-0…cdef  yes',
    'home',
  ],
  pipe: ['work\thttps://work.example\tsk-svc-0…cdef\tyes', 'home\t\t\t'],
  json: [
    { name: 'work', inUse: true, baseUrl: base_url, key: 'sk-svc-0…cdef' },
    { name: 'home', inUse: false },
  ],
  empty: [nothing, 'No profiles yet. To create one: svc login'],
});
