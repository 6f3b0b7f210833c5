/** What shows one thing, or what a search finds, in each of its forms. */
import { fakeService, json } from '../helpers/fake-service.js';
import { listCommand } from '../helpers/list-command.js';

listCommand({
  line: 'whoami',
  asks: '/v1/balance',
  from: { reply: { balance_rub: 12.5, currency: 'RUB' } },
  terminal: [
    'Profile   default (default)',
    'Base URL  ORIGIN (SVC_BASE_URL)',
    'Key       sk… (SVC_API_KEY)',
    'Balance   12.50 RUB',
  ],
  pipe: [
    'Profile\tdefault\tdefault',
    'Base URL\tORIGIN\tSVC_BASE_URL',
    'Key\tsk…\tSVC_API_KEY',
    'Balance\t12.50 RUB\tthe service',
  ],
  json: {
    ...{ profile: 'default', profileSource: 'default' },
    ...{ baseUrl: 'ORIGIN', baseUrlSource: 'environment' },
    ...{ key: 'sk…', keySource: 'environment' },
    ...{ balanceRub: 12.5, currency: 'RUB' },
  },
});

listCommand({
  line: 'keys show',
  asks: '/api/key/usage',
  from: { reply: { balance_rub: 12.5, spent: { today: 1, month: 20.5 }, requests: 7 } },
  terminal: ['Balance   12.50 RUB', 'Spent     {"today":1,"month":20.5}', 'Requests  7'],
  pipe: ['balance_rub\t12.5', 'spent\t{"today":1,"month":20.5}', 'requests\t7'],
});

listCommand({
  line: 'usage show gen_1',
  asks: '/v1/generations/gen_1',
  from: {
    reply: { id: 'gen_1', model: 'v/m\u0007', priceRub: 0.5, route: { alias: ':fast' } },
  },
  terminal: ['ID       gen_1', 'Model    v/m␇', 'Price    0.50 RUB', 'Variant  {"alias":":fast"}'],
  pipe: ['id\tgen_1', 'model\tv/m\u0007', 'priceRub\t0.5', 'route\t{"alias":":fast"}'],
});

listCommand({
  line: 'webhooks show',
  asks: '/api/webhooks',
  from: {
    reply: { mediaWebhookUrl: 'https://example.com/jobs', balanceWebhookUrl: null, more: 1 },
    env: { SVC_SESSION: 'a=b', SVC_API_KEY: undefined },
  },
  terminal: [
    'Media webhook URL    https://example.com/jobs',
    'Balance webhook URL  -',
    'More                 1',
  ],
  pipe: ['mediaWebhookUrl\thttps://example.com/jobs', 'balanceWebhookUrl\tnull', 'more\t1'],
});

const found = {
  results: [
    { title: 'Node 20', url: 'https://example.com/node?v=20', snippet: 'Ends in\nApril\t2026.' },
    { title: '', url: 'https://example.org/', snippet: '' },
    { title: 'Open me', url: 'javascript:alert(1)', snippet: 'no' },
  ],
  cost_rub: 0.3,
  extra: { kept: true },
};

listCommand({
  line: 'search node',
  from: async () => {
    const { env } = await fakeService((request, response) => {
      const reply = request.method === 'POST' ? found : { balance_rub: 12.5 };
      json(reply, 200, { 'x-svc-generation-id': 'gen_1' })(request, response);
    });
    return { env };
  },
  terminal: [
    '1. Node 20',
    '   https://example.com/node?v=20',
    '   Ends in April 2026.',
    '',
    '2. https://example.org/',
    '',
    '3. Open me',
    '   javascript:alert(1)',
    '   no',
  ],
  pipe: [
    '1\tNode 20\thttps://example.com/node?v=20\tEnds in April 2026.',
    '2\t\thttps://example.org/\t',
    '3\tOpen me\tjavascript:alert(1)\tno',
  ],
  json: {
    ...found,
    cost: { priceRub: 0.3, balanceRub: 12.5 },
    ids: { generationId: 'gen_1' },
  },
  empty: [{ reply: { results: [] } }, 'nothing was found'],
});
