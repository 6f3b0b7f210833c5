import {
  listTickets,
  TicketCreateRequest,
  TicketReplyRequest,
} from '../../src/contract/tickets.js';
import { letters, numbered, requests } from './requests.js';

const incident = { subject: 'abc', message: letters(10) };

requests({
  'a new ticket': {
    schema: TicketCreateRequest,
    base: incident,
    accepted: [
      { subject: letters(200) },
      { message: letters(8000) },
      ...[
        'api_error',
        'performance',
        'incorrect_response',
        'integration',
        'feature_request',
        'other',
        'billing',
        'account',
        'general',
      ].map((category) => ({ category })),
      { requestIds: numbered(10) },
      { requestIds: [letters(128)] },
      { clientIncidentId: '0' },
      { clientIncidentId: `A${'._:-'.repeat(24)}123` },
    ],
    refused: [
      { extra: 1 },
      { subject: 'ab' },
      { subject: letters(201) },
      { message: letters(9) },
      { message: letters(8001) },
      { category: 'praise' },
      { requestIds: numbered(11) },
      { requestIds: ['same', 'same'] },
      { requestIds: [''] },
      { requestIds: [letters(129)] },
      { clientIncidentId: '' },
      { clientIncidentId: '-1' },
      { clientIncidentId: 'a b' },
      { clientIncidentId: letters(101) },
    ],
  },
  'a message to a ticket': {
    schema: TicketReplyRequest,
    base: { message: 'a' },
    accepted: [{ message: letters(8000) }],
    refused: [{ message: '' }, { message: letters(8001) }, { extra: 1 }],
  },
  'the list of tickets': {
    schema: listTickets.query,
    base: {},
    accepted: [
      { limit: 1 },
      { limit: 100 },
      { after: 'cursor' },
      { status: 'open' },
      { status: 'replied' },
      { status: 'closed' },
    ],
    refused: [{ limit: 0 }, { limit: 101 }, { status: 'lost' }],
  },
});
