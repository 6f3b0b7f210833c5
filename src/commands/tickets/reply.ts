import { outcomeIsUnknown } from '../../api/failure.js';
import { formOf, getTicket, sendReply, type TicketThread } from '../../api/tickets.js';
import type { Client } from '../../api/client.js';
import type { Context, Handler } from '../../context.js';
import { tickets as limits } from '../../contract/limits.js';
import { TicketReplyRequest } from '../../contract/tickets.js';
import { ApiError, isRefusal, UsageError, OutcomeUnknown } from '../../errors.js';
import { openJobs, progressWriter, type JobEnv } from '../../jobs/job.js';
import { shellWord } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { createCommand, followUp, openTicket } from './create.js';
import type { reply } from './index.js';
import { badImage, checkFields, readImages, sendFields, textFrom, withDraft } from './message.js';
import type { Report } from './message.js';
import { ticketId } from './threads.js';

export const run: Handler<typeof reply> = async (context, { args, options }) => {
  const images = await readImages(options.attach, context.stdin);
  const words = args.text.length > 0 ? args.text.join(' ') : undefined;
  const text = await textFrom(context, 'the message', { ...options, text: words });
  if (text === undefined && !context.prompts.canAsk) {
    throw new UsageError('the message is missing', {
      hint: `svc tickets reply ${plainText(args.id, 100)} "your message", -f FILE, or pipe text into it`,
    });
  }
  if (text !== undefined) checkFields(TicketReplyRequest, { message: text });
  const reporter = await openJobs(context);
  const { client } = reporter;
  const id = await ticketId(context, client, args.id);
  if (text !== undefined && context.flags.dryRun) {
    await sendReply(client, id, text, formOf({ message: text }, images));
  }
  const before = await getTicket(client, id);
  const isShort = words !== undefined && words.length <= 300 && !/^$|[\n\r]/.test(words);
  const source = isShort ? (['--message', words] as const) : (['-f', options.file ?? '-'] as const);
  const attached = options.attach.map((path) => ['--attach', path] as const);
  const content = text === undefined ? [] : [source, ...attached];
  const again = createCommand([['--follow-up', id], ...content]);
  await withDraft(context, async (draft) => {
    const isClosed = before.status === 'closed';
    if (isClosed) await agreeToNew(context, before, again);
    draft.command = isClosed ? again : `svc tickets reply ${shellWord(id)}`;
    const last = before.messages?.at(-1)?.body?.split('\n').slice(0, 40) ?? [];
    const about = `A message to ${plainText(before.id, 100)}. The last message:`;
    const help = [about, ...last.map((line) => plainText(line, 200))].join('\n');
    const message = text ?? (await draft.write(help));
    try {
      if (!isClosed) {
        await send(reporter, before, { message, images });
        return;
      }
    } catch (error) {
      if (!isRefusal(error, 409)) throw error;
      await agreeToNew(context, before, again);
    }
    await openTicket(context, reporter, { ...followUp(before, message), images });
  });
};

async function send(
  { client, context }: JobEnv,
  before: TicketThread,
  { message, images }: Pick<Report, 'message' | 'images'>,
): Promise<void> {
  const { id, messages } = before;
  checkFields(TicketReplyRequest, { message });
  const there = messages?.flatMap(({ attachments }) => attachments ?? []).length ?? 0;
  const { perTicket } = limits.attachments;
  if (images.length > 0 && there + images.length > perTicket) {
    const words = `a ticket may have ${perTicket} images, and this one has ${there}`;
    throw badImage(`${words}: ${images.length} more do not fit`);
  }
  const interrupted = `the message may be in the thread; to check: svc tickets show ${shellWord(id)}`;
  const doing = ['adding the message', interrupted] as const;
  const reply = await sendFields(context, formOf({ message }, images), doing, (payload) =>
    sendReply(client, id, message, payload),
  ).catch(async (error: unknown) => {
    if (context.signal.aborted || !outcomeIsUnknown(error)) throw error;
    const say = progressWriter(context);
    say('no answer; checking whether the message is in the thread');
    const ticket = await arrivedIn(client, before, message, error);
    say('the message is in the thread and is not sent again');
    return { ticket };
  });
  const { flags, out, commandHint } = context;
  if (flags.json) return out.json(reply);
  const shown = plainText(reply.ticket.id, 100);
  out.note(`the message is in ${shown}`);
  if (out.isErrorTerminal || out.isForAgent)
    out.dim(commandHint(`wait for the answer: svc tickets watch ${shown}`));
}

async function agreeToNew(context: Context, before: TicketThread, again: string): Promise<void> {
  const { flags, prompts } = context;
  const closed = `${plainText(before.id, 100)} is closed and accepts no messages`;
  const message = `${closed}. Open a new ticket that refers to it?`;
  if (flags.yes || (context.prompts.canAsk && (await prompts.confirm({ message })))) return;
  const hint = `open a new ticket that refers to it: \`${again}\``;
  throw new ApiError(closed, { status: 409, code: 'ticket_closed', hint });
}

/** Milliseconds to wait before each look at the thread: the service may still be working. */
const looksAfterMs = [0, 2000, 5000] as const;

/** Waits for the message to appear in the thread; it is not sent again, for it may still arrive. */
async function arrivedIn(client: Client, before: TicketThread, message: string, cause: Error) {
  const { clock, signal } = client;
  // The service may trim the text, and a form may change its line ends.
  const bare = (body: string | null = '') => (body ?? '').replaceAll('\r\n', '\n').trim();
  const countIn = ({ messages }: TicketThread) =>
    messages?.filter(({ author, body }) => author === 'client' && bare(body) === bare(message))
      .length ?? 0;
  const unknown = (what: string) =>
    new OutcomeUnknown(`${cause.message}; ${what}`, {
      code: 'reply_unknown',
      hint: `check the thread before you send it again: \`svc tickets show ${plainText(before.id, 100)}\``,
      cause,
    });
  for (const waitMs of looksAfterMs) {
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    const thread = await getTicket(client, before.id).catch((error: unknown) => {
      throw signal.aborted ? error : unknown('the thread could not be read');
    });
    if (countIn(thread) > countIn(before)) return thread;
  }
  throw unknown('the message is not in the thread yet');
}
