import { command, flag, group, integer, type Loaded, output, text } from '../../cli/declaration.js';
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

const ticket = { name: 'id', summary: 'the id of the ticket', required: true } as const;

const file = text('FILE', 'a text file with the message; - is stdin', { short: 'f' });

const attach = text('FILE', `an image to go with it (${images}); up to ${attachments.perRequest}`, {
  short: 'a',
  many: true,
});

export const create = command('create', 'open a support ticket', {
  description:
    'Open a support ticket and print its id. What is not given is asked for on a terminal; the message is written in $VISUAL or $EDITOR.\nEach report goes with an incident id that is kept before it is sent, so the same command within a day never opens a second ticket. With --from-last-error the report tells of the last command that failed, with keys, signatures, home folders and e-mail addresses taken out, and is shown before it goes.',
  options: {
    subject: text('TEXT', rangeWords(subjectCharacters)),
    message: text('TEXT', `${rangeWords(messageCharacters)}; - is stdin`),
    file,
    category: text('CATEGORY', 'what it is about', {
      choices: ticketCategories,
      default: defaultTicketCategory,
    }),
    requestId: text('ID', `a request that it is about; up to ${requestIds.max}`, { many: true }),
    attach,
    incidentId: text('ID', 'an id of your own, by which the service knows the same report again'),
    fromLastError: flag('tell of the last command that failed'),
    followUp: text('ID', 'cite this ticket, which is closed, and take its subject and category'),
  },
  examples: [
    'svc tickets create # asks for everything',
    'svc tickets create --from-last-error # right after something failed',
    'svc tickets create --subject "Answers stop early" -f report.txt --category api_error --attach screen.png # from a script',
  ],
  endpoints: ['tickets.create', 'tickets.get', 'billing.history'],
  conflicts: [['--from-last-error', '--follow-up']],
  load: (): Promise<Loaded> => import('./create.js'),
});

export const list = command('list', 'list support tickets, newest first', {
  options: {
    status: text('STATUS', 'only those that stand like this', { choices: ticketStatuses }),
    limit: integer('N', `tickets a page; with --all ${limits.tickets.list.max} unless given`, {
      ...limits.tickets.list,
      default: String(limits.tickets.list.default),
    }),
    after: text('CURSOR', 'go on from here: the nextCursor of a page (--json)'),
    all: flag('every page, as a stream'),
  },
  examples: [
    'svc tickets list --status replied # what has been answered',
    "svc tickets list --all --json | jq -r '.data[].id' # the ids",
  ],
  endpoints: ['tickets.list'],
  load: (): Promise<Loaded> => import('./threads.js').then(({ list }) => ({ run: list })),
});

export const show = command('show', 'show a ticket with its messages', {
  args: [ticket],
  examples: ['svc tickets show ticket_0123456789 # the whole thread'],
  endpoints: ['tickets.get'],
  load: (): Promise<Loaded> => import('./threads.js').then(({ show }) => ({ run: show })),
});

export const reply = command('reply', 'add a message to a ticket', {
  description: `Add a message of ${rangeWords(replyCharacters)}: words, a file, what is piped in, or what you write in $VISUAL or $EDITOR. It is sent once: when its answer gets lost, svc looks whether the message is in the thread. A closed ticket takes none; a new one can cite it.`,
  args: [ticket, { name: 'text', summary: 'the message', many: true }],
  options: { file, attach },
  examples: [
    'svc tickets reply ticket_0123456789 "It works again, thank you." # words',
    'svc tickets reply ticket_0123456789 --attach log.png < reply.txt # piped',
  ],
  endpoints: ['tickets.reply', 'tickets.get', 'tickets.create'],
  load: (): Promise<Loaded> => import('./reply.js'),
});

export const close = command('close', 'close a ticket', {
  description: 'Close a ticket. One that is closed stays so, and takes no message.',
  args: [ticket],
  examples: ['svc tickets close ticket_0123456789 # when all is well'],
  endpoints: ['tickets.close'],
  load: (): Promise<Loaded> => import('./threads.js').then(({ close }) => ({ run: close })),
});

export const download = command('download', 'fetch the images of a ticket', {
  description:
    'Fetch the images of a ticket, all of them or one. Their names are hints: one that is taken gets a number, and what a file ends in follows its content.',
  args: [ticket, { name: 'attachment', summary: 'the id or the name of one of its images' }],
  options: {
    ...output('FILE|DIR/|-', 'where they go; a file and stdout (-) take one'),
  },
  examples: ['svc tickets download ticket_0123456789 -o images/ # all'],
  endpoints: ['tickets.attachment', 'tickets.get'],
  conflicts: [['-o -', '--json']],
  load: (): Promise<Loaded> => import('./download.js'),
});

export const watch = command('watch', 'wait for an answer to a ticket', {
  description: `Wait until a ticket is answered, and show the answer. The exit code is 8 when the time is over (--timeout, ${durationText(defaultWaitMs)}); the ticket stays open.`,
  args: [ticket],
  examples: ['svc tickets watch ticket_0123456789 --timeout 8h # a working day'],
  endpoints: ['tickets.get'],
  load: (): Promise<Loaded> => import('./threads.js').then(({ watch }) => ({ run: watch })),
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
