import {
  getTicket,
  type Attachment,
  type Ticket,
  type TicketMessage,
  type TicketThread,
} from '../../api/tickets.js';
import type { Handler } from '../../cli/declaration.js';
import type { show } from './index.js';
import { formatBytes } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { wrapLines } from '../../lib/wrap.js';
import { sanitise } from '../../terminal/screen.js';
import type { Output } from '../../terminal/types.js';

/** Shows a ticket with its messages. */
export const run: Handler<typeof show> = async (context, { args }) => {
  const { flags, out } = context;
  const ticket = await getTicket(await context.client(), args.id);
  if (flags.json) await out.json({ ticket });
  else await showThread(out, ticket);
};

const indent = '  ';
/** Narrower than this nothing can be read anyway. */
const leastColumns = 10;

/** The head of a ticket, then its messages in their order. */
async function showThread(out: Output, ticket: TicketThread): Promise<void> {
  await showHead(out, ticket);
  await showMessages(out, ticket.messages ?? []);
}

async function showHead(out: Output, ticket: Ticket): Promise<void> {
  await out.spans([
    { text: word(ticket.id), look: 'bold' },
    { text: `  ${word(ticket.status)}  ${word(ticket.category)}` },
  ]);
  await showBody(out, ticket.subject ?? '', '');
  for (const line of facts(ticket)) await out.spans([{ text: line, look: 'dim' }]);
}

function facts(ticket: Ticket): string[] {
  const { createdAt, updatedAt, occurrences, requestIds, clientIncidentId } = ticket;
  const times = [
    `opened ${momentWords(createdAt)}`,
    ...(updatedAt && updatedAt !== createdAt ? [`changed ${momentWords(updatedAt)}`] : []),
    ...(occurrences && occurrences > 1 ? [`reported ${String(occurrences)} times`] : []),
  ];
  return [
    times.join(' · '),
    ...(requestIds?.length ? [`request ids: ${requestIds.map(word).join(', ')}`] : []),
    ...(clientIncidentId ? [`incident id: ${word(clientIncidentId)}`] : []),
  ];
}

/** Messages with their authors, dates and images, each after an empty line. */
export async function showMessages(out: Output, messages: readonly TicketMessage[]): Promise<void> {
  for (const { author, createdAt, body, attachments } of messages) {
    await out.line('');
    await out.spans([
      { text: author === 'client' ? 'you' : word(author), look: 'bold' },
      { text: ` · ${momentWords(createdAt)}`, look: 'dim' },
    ]);
    await showBody(out, body ?? '', indent);
    for (const one of attachments ?? []) {
      await out.spans([{ text: `${indent}${attachmentWords(one)}`, look: 'dim' }]);
    }
  }
}

/** On a terminal broken to its width; a pipe gets the text as it came. */
async function showBody(out: Output, text: string, margin: string): Promise<void> {
  if (!out.isTerminal) return out.text(text.endsWith('\n') ? text : `${text}\n`);
  const columns = Math.max(leastColumns, out.columns - margin.length);
  // Made harmless first: what stands for a control takes a column.
  const lines = wrapLines(sanitise(text).replace(/\n+$/, ''), columns);
  await out.text(lines.map((line) => `${line === '' ? '' : margin}${line}\n`).join(''));
}

function attachmentWords({ id, filename, mimeType, byteSize }: Attachment): string {
  const size = byteSize === undefined || byteSize === null ? [] : [formatBytes(byteSize)];
  return ['image', word(id), word(filename), word(mimeType), ...size]
    .filter((part) => part !== '')
    .join('  ');
}

/** `2026-11-21 18:43 UTC`; what is no time as it came. */
export function momentWords(text: string | null | undefined): string {
  const ms = Date.parse(text ?? '');
  if (Number.isNaN(ms)) return plainText(text ?? 'at an unknown time', 40);
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function word(text: string | null | undefined): string {
  return plainText(text ?? '', 200);
}
