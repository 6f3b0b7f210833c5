import { WebhooksRequest } from '../../src/contract/account.js';
import { requests } from './requests.js';

const url = 'https://files.example/voice.wav';

requests({
  'the notification addresses': {
    schema: WebhooksRequest,
    base: {},
    accepted: [{ mediaWebhookUrl: url }, { balanceWebhookUrl: null }, { other: 1 }],
    refused: [{ mediaWebhookUrl: 3 }],
  },
});
