import { command, type Loaded } from '../../cli/declaration.js';
import { defaultTicketCategory, ticketCategories, ticketStatuses } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { durationText } from '../../lib/duration.js';
import { usualPatienceMs } from '../../jobs/options.js';

const { subjectCharacters, messageCharacters, replyCharacters, attachments } = limits.tickets;
const images = `PNG, JPEG, GIF or WebP, ${String(attachments.bytes / limits.bytesPerMb)} MB each`;

const ticket = { name: 'id', summary: 'the id of the ticket', required: true } as const;

const file = {
  type: 'text',
  short: 'f',
  value: 'FILE',
  summary: 'a text file with the message; - is stdin',
  completes: 'file',
} as const;

const attach = {
  type: 'text',
  short: 'a',
  value: 'FILE',
  summary: `an image to go with it (${images}); up to ${String(attachments.perRequest)}`,
  many: true,
  completes: 'file',
} as const;

export const create = command({
  name: 'create',
  summary: 'open a support ticket',
  description:
    'Open a support ticket and print its id. What is not given is asked for on a terminal; the message is written in $VISUAL or $EDITOR.\nEach report goes with an incident id that is kept before it is sent, so the same command within a day never opens a second ticket. With --from-last-error the report tells of the last command that failed, with keys, signatures, home folders and e-mail addresses taken out, and is shown before it goes.',
  options: {
    subject: {
      type: 'text',
      value: 'TEXT',
      summary: `${String(subjectCharacters.min)} to ${String(subjectCharacters.max)} characters`,
    },
    message: {
      type: 'text',
      value: 'TEXT',
      summary: `${String(messageCharacters.min)} to ${String(messageCharacters.max)} characters; - is stdin`,
    },
    file,
    category: {
      type: 'text',
      value: 'CATEGORY',
      summary: 'what it is about',
      choices: ticketCategories,
      default: defaultTicketCategory,
    },
    requestId: {
      type: 'text',
      value: 'ID',
      summary: `a request that it is about; up to ${String(limits.tickets.requestIds.max)}`,
      many: true,
    },
    attach,
    incidentId: {
      type: 'text',
      value: 'ID',
      summary: 'an id of your own, by which the service knows the same report again',
    },
    fromLastError: { type: 'switch', summary: 'tell of the last command that failed' },
    followUp: {
      type: 'text',
      value: 'ID',
      summary: 'cite this ticket, which is closed, and take its subject and category',
    },
  },
  examples: [
    { command: 'svc tickets create', note: 'asks for everything' },
    { command: 'svc tickets create --from-last-error', note: 'right after something failed' },
    {
      command:
        'svc tickets create --subject "Answers stop early" -f report.txt --category api_error --attach screen.png',
      note: 'from a script',
    },
  ],
  endpoints: ['tickets.create', 'tickets.get', 'billing.history'],
  load: (): Promise<Loaded> => import('./create.js'),
});

export const list = command({
  name: 'list',
  summary: 'list support tickets, newest first',
  options: {
    status: {
      type: 'text',
      value: 'STATUS',
      summary: 'only those that stand like this',
      choices: ticketStatuses,
    },
    limit: {
      type: 'integer',
      value: 'N',
      summary: `tickets a page; with --all ${String(limits.tickets.list.max)} unless given`,
      min: limits.tickets.list.min,
      max: limits.tickets.list.max,
      default: String(limits.tickets.list.default),
    },
    after: {
      type: 'text',
      value: 'CURSOR',
      summary: 'go on from here: the nextCursor of a page (--json)',
    },
    all: { type: 'switch', summary: 'every page, as a stream' },
  },
  examples: [
    { command: 'svc tickets list --status replied', note: 'what has been answered' },
    { command: "svc tickets list --all --json | jq -r '.data[].id'", note: 'the ids' },
  ],
  endpoints: ['tickets.list'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const show = command({
  name: 'show',
  summary: 'show a ticket with its messages',
  args: [ticket],
  examples: [{ command: 'svc tickets show ticket_0123456789', note: 'the whole thread' }],
  endpoints: ['tickets.get'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const reply = command({
  name: 'reply',
  summary: 'add a message to a ticket',
  description: `Add a message of ${String(replyCharacters.min)} to ${String(replyCharacters.max)} characters: words, a file, what is piped in, or what you write in $VISUAL or $EDITOR. It is sent once: when its answer gets lost, svc looks whether the message is in the thread. A closed ticket takes none; a new one can cite it.`,
  args: [ticket, { name: 'text', summary: 'the message', many: true }],
  options: { file, attach },
  examples: [
    { command: 'svc tickets reply ticket_0123456789 "It works again, thank you."', note: 'words' },
    { command: 'svc tickets reply ticket_0123456789 --attach log.png < reply.txt', note: 'piped' },
  ],
  endpoints: ['tickets.reply', 'tickets.get', 'tickets.create'],
  load: (): Promise<Loaded> => import('./reply.js'),
});

export const close = command({
  name: 'close',
  summary: 'close a ticket',
  description: 'Close a ticket. One that is closed stays so, and takes no message.',
  args: [ticket],
  examples: [{ command: 'svc tickets close ticket_0123456789', note: 'when all is well' }],
  endpoints: ['tickets.close'],
  load: (): Promise<Loaded> => import('./close.js'),
});

export const download = command({
  name: 'download',
  summary: 'fetch the images of a ticket',
  description:
    'Fetch the images of a ticket, all of them or one. Their names are hints: one that is taken gets a number, and what a file ends in follows its content.',
  args: [ticket, { name: 'attachment', summary: 'the id or the name of one of its images' }],
  options: {
    output: {
      type: 'text',
      short: 'o',
      value: 'FILE|DIR/|-',
      summary: 'where they go; a file and stdout (-) take one',
      completes: 'file',
    },
    force: { type: 'switch', summary: 'replace the file of -o' },
  },
  examples: [{ command: 'svc tickets download ticket_0123456789 -o images/', note: 'all' }],
  endpoints: ['tickets.attachment', 'tickets.get'],
  load: (): Promise<Loaded> => import('./download.js'),
});

export const watch = command({
  name: 'watch',
  summary: 'wait for an answer to a ticket',
  description: `Wait until a ticket is answered, and show the answer. The exit code is 8 when the time is over (--timeout, ${durationText(usualPatienceMs)}); the ticket stays open.`,
  args: [ticket],
  examples: [
    { command: 'svc tickets watch ticket_0123456789 --timeout 8h', note: 'a working day' },
  ],
  endpoints: ['tickets.get'],
  load: (): Promise<Loaded> => import('./watch.js'),
});

export const tickets = {
  name: 'tickets',
  heading: 'Support',
  summary: 'support tickets: open, read, answer, close',
  commands: [create, list, show, reply, close, download, watch],
} as const;
