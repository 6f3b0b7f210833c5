import { command, flag, group, integer, output, text } from '../../command.js';
import { defaultTicketCategory, ticketCategories, ticketStatuses } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { durationText } from '../../lib/duration.js';
import { defaultWaitMs } from '../../jobs/options.js';

const { subjectCharacters, messageCharacters, replyCharacters, attachments, requestIds } =
  limits.tickets;
const images = `PNG, JPEG, GIF or WebP, ${attachments.bytes / limits.bytesPerMb} MB each`;

export function rangeWords({ min, max }: { readonly min: number; readonly max: number }): string {
  return `${min} to ${max} characters`;
}

const ticket = {
  name: 'id',
  summary: 'the id of the ticket, its first characters, or @last',
  required: true,
  completes: 'ticket',
} as const;

const file = text('FILE', 'a text file with the message; - is stdin', { short: 'f' });

const attach = text('FILE', `an image to attach (${images}); up to ${attachments.perRequest}`, {
  short: 'a',
  many: true,
});

export const create = command('create', 'open a support ticket', {
  description:
    'Open a support ticket and print its id. On a terminal, svc asks for whatever is missing and opens $VISUAL or $EDITOR for the message.\nEach report has an incident id that is stored before it is sent, so the same command within a day never opens a second ticket. --from-last-error reports the last command that failed, without the text that was typed or the message of the error, and shows the report before sending it. Without a terminal it needs --yes, or --dry-run to show it only.',
  options: {
    subject: text('TEXT', rangeWords(subjectCharacters)),
    message: text('TEXT', `${rangeWords(messageCharacters)}; - is stdin`),
    file,
    category: text('CATEGORY', 'the subject area', {
      choices: ticketCategories,
      default: defaultTicketCategory,
    }),
    requestId: text('ID', `the id of a related request; up to ${requestIds.max}`, { many: true }),
    attach,
    incidentId: text('ID', 'your own id, by which the service recognises a repeated report'),
    fromLastError: flag('report the last command that failed'),
    followUp: text('ID', 'refer to this closed ticket, with the same subject and category', {
      completes: 'ticket',
    }),
  },
  examples: [
    'svc tickets create # svc asks for everything',
    'svc tickets create --from-last-error # right after something failed',
    'svc tickets create --from-last-error --yes # the same from a script',
    'svc tickets create --subject "Answers stop early" -f report.txt --category api_error --attach screen.png # from a script',
  ],
  endpoints: ['tickets.create', 'tickets.get', 'billing.history'],
  conflicts: [['--from-last-error', '--follow-up']],
});

export const list = command('list', 'list support tickets, newest first', {
  columns: ['id', 'status', 'changed', 'category', 'subject'],
  options: {
    status: text('STATUS', 'only tickets with this status', { choices: ticketStatuses }),
    limit: integer('N', `tickets per page; ${limits.tickets.list.max} with --all`, {
      ...limits.tickets.list,
      default: String(limits.tickets.list.default),
    }),
    after: text('CURSOR', 'continue after a page: its nextCursor (--json)'),
    all: flag('every page, as it arrives'),
  },
  examples: [
    'svc tickets list --status replied # tickets with an answer',
    "svc tickets list --all --json | jq -r '.data[].id' # the ids",
  ],
  endpoints: ['tickets.list'],
});

export const show = command('show', 'show a ticket with its messages', {
  args: [ticket],
  examples: ['svc tickets show ticket_0123456789 # the whole thread'],
  endpoints: ['tickets.get'],
});

export const reply = command('reply', 'add a message to a ticket', {
  description: `Add a message of ${rangeWords(replyCharacters)} from the command line, a file, stdin, or $VISUAL or $EDITOR. It is sent once: if the answer is lost, svc checks whether the message is in the thread. A closed ticket accepts no messages, but a new ticket can refer to it.`,
  args: [ticket, { name: 'text', summary: 'the message', many: true }],
  options: { file, attach },
  examples: [
    'svc tickets reply ticket_0123456789 "It works again, thank you." # from the command line',
    'svc tickets reply ticket_0123456789 --attach log.png < reply.txt # from stdin',
  ],
  endpoints: ['tickets.reply', 'tickets.get', 'tickets.create'],
});

export const close = command('close', 'close a ticket', {
  description: 'Close a ticket. A closed ticket cannot be reopened and accepts no messages.',
  args: [ticket],
  examples: ['svc tickets close ticket_0123456789 # when it is solved'],
  endpoints: ['tickets.close'],
});

export const download = command('download', 'download the images of a ticket', {
  description:
    'Download one image of a ticket, or all of them. A file name that exists gets a number, and the extension follows from the content.',
  args: [ticket, { name: 'attachment', summary: 'the id or name of an image' }],
  options: { ...output('FILE|DIR/|-', 'target; a file or stdout (-) takes one image') },
  examples: ['svc tickets download ticket_0123456789 -o images/ # every image'],
  endpoints: ['tickets.attachment', 'tickets.get'],
  conflicts: [['-o -', '--json']],
});

export const watch = command('watch', 'wait for an answer to a ticket', {
  description: `Wait until a ticket is answered, then show the answer. If none arrives in time (--timeout, default ${durationText(defaultWaitMs)}), the exit code is 8 and the ticket stays open.`,
  args: [ticket],
  examples: ['svc tickets watch ticket_0123456789 --timeout 8h # a working day'],
  endpoints: ['tickets.get'],
});

export const tickets = group('Support', 'tickets', 'support tickets: open, read, answer, close', [
  create,
  list,
  show,
  reply,
  close,
  download,
  watch,
]);
