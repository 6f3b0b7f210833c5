import { command, group, text } from '../../command.js';
import { feedbackCategories } from '../../contract/enums.js';
import { feedback as limits } from '../../contract/limits.js';
import { rangeWords, create as ticket } from '../tickets/index.js';

const { summaryCharacters, detailsCharacters } = limits;

export const create = command(
  'create',
  'send a technical report (deprecated: svc tickets create)',
  {
    description:
      'Deprecated: use `svc tickets create`. Send a technical report as a ticket and print its id. Requests for money or access are refused. svc saves an incident id before it sends the report, so repeating the command does not open a second ticket.',
    deprecated: true,
    options: {
      category: text('CATEGORY', 'the category; required', { choices: feedbackCategories }),
      summary: text('TEXT', `${rangeWords(summaryCharacters)}; required`),
      details: text('TEXT', `${rangeWords(detailsCharacters)}; - is stdin`),
      file: text('FILE', 'a text file with the details; - is stdin', { short: 'f' }),
      requestId: ticket.options.requestId,
      incidentId: ticket.options.incidentId,
    },
    examples: [
      'svc feedback create --category api_error --summary "Answers stop early" -f report.txt # better: svc tickets create',
    ],
    endpoints: ['feedback.create'],
  },
);

export const show = command('show', 'show a technical report (deprecated: svc tickets show)', {
  columns: ['name', 'value'],
  description: 'Deprecated: use `svc tickets show`. Show a technical report.',
  deprecated: true,
  args: [{ name: 'id', summary: 'the id of the report', required: true }],
  examples: ['svc feedback show ticket_0123456789 # all fields'],
  endpoints: ['feedback.get'],
});

const summary = 'technical reports (deprecated: svc tickets)';
export const feedback = group('Support', 'feedback', summary, [create, show]);
