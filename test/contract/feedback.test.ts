import { FeedbackRequest } from '../../src/contract/tickets.js';
import { letters, numbered, requests } from './requests.js';

const report = { category: 'other', summary: 'abc', details: letters(10) };

requests({
  'a technical report': {
    schema: FeedbackRequest,
    base: report,
    accepted: [
      { summary: letters(200) },
      { details: letters(4000) },
      { category: 'feature_request' },
      { requestIds: numbered(10), clientIncidentId: 'a:1' },
    ],
    refused: [
      { extra: 1 },
      { category: undefined },
      { category: 'billing' },
      { summary: 'ab' },
      { summary: letters(201) },
      { details: letters(9) },
      { details: letters(4001) },
      { requestIds: numbered(11) },
      { clientIncidentId: '.a' },
    ],
  },
});
