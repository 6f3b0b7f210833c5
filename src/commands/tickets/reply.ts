import { outcomeIsUnknown } from '../../api/failure.js';
import {
  formOf,
  getTicket,
  isClosedTicket,
  sendReply,
  type Image,
  type TicketThread,
} from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { TicketReplyRequest } from '../../contract/tickets.js';
import { ApiError, UsageError, OutcomeUnknown } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { shellWord } from '../../lib/names.js';
import { openJobs, progressWriter, canAsk } from '../../jobs/job.js';
import { whileSending } from '../sending.js';
import {
  withSavedText,
  citedFrom,
  citing,
  assertRoom,
  readImages,
  checkFields,
  openTicket,
  type Reporter,
  textFrom,
} from './message.js';
import type { reply } from './index.js';
import type { Client } from '../../api/client.js';

type Words = InputOf<typeof reply>['args'];
type Options = InputOf<typeof reply>['options'];

/** Adds a message to a ticket. */
export const run: Handler<typeof reply> = async (context, { args, options }) => {
  const { id } = args;
  const images = await readImages(options.attach, context.stdin);
  const given = await textFrom(context, {
    text: args.text.length > 0 ? args.text.join(' ') : undefined,
    file: options.file,
    name: 'the message',
    isStdinTaken: options.attach.includes('-'),
  });
  if (given === undefined && !canAsk(context)) {
    throw new UsageError('the message is missing', {
      code: 'usage',
      hint: `svc tickets reply ${plainText(id, 100)} "your message", -f FILE, or pipe text into it`,
    });
  }
  if (given !== undefined) checkFields(TicketReplyRequest, { message: given });
  const reporter = await openJobs(context);
  const again = againCommand(args, options, given !== undefined);
  if (given !== undefined) return send(context, reporter, { id, message: given, images, again });
  await withSavedText(context, async (draft) => {
    draft.command = `svc tickets reply ${shellWord(id)}`;
    const before = await getTicket(reporter.client, id);
    // Asked before it is written, and not again after.
    const isClosed = before.status === 'closed';
    if (isClosed) {
      await agreeToNew(context, before, again);
      draft.command = again;
    }
    const last = before.messages?.at(-1)?.body?.split('\n').slice(0, 40) ?? [];
    const about = `A message to ${plainText(before.id, 100)}. The last one in it:`;
    const help = [about, ...last.map((line) => plainText(line, 200))].join('\n');
    const message = await draft.write('Message', help);
    if (isClosed) await openNew(context, reporter, { message, images }, before);
    else await send(context, reporter, { id, message, images, again, before });
  });
};

interface Message {
  readonly id: string;
  readonly message: string;
  readonly images: readonly Image[];
  /** The command that opens a ticket with the same message. */
  readonly again: string;
  /** When the thread has been read already. */
  readonly before?: TicketThread;
}

async function send(context: Context, reporter: Reporter, given: Message): Promise<void> {
  const { id, images, message, again } = given;
  checkFields(TicketReplyRequest, { message });
  const payload = formOf({ message }, images);
  const { flags, commandHint, out, signal } = context;
  const { client } = reporter;
  if (flags.dryRun) await sendReply(client, { id, message, payload });
  const before = given.before ?? (await getTicket(client, id));
  const offerNew = async () => {
    await agreeToNew(context, before, again);
    await openNew(context, reporter, given, before);
  };
  if (before.status === 'closed') return offerNew();
  assertRoom(before, images.length);
  try {
    const thread = await (payload
      ? whileSending(context, payload, 'adding the message', (counted) =>
          sendReply(client, { id, message, payload: counted }),
        )
      : sendReply(client, { id, message }));
    await tell(context, thread);
  } catch (error) {
    if (signal.aborted) {
      out.error(
        commandHint(`the message may be in the thread; look: svc tickets show ${shellWord(id)}`),
      );
      throw error;
    }
    if (isClosedTicket(error)) await offerNew();
    else if (outcomeIsUnknown(error)) {
      const say = progressWriter(context);
      say('no answer came; looking whether the message is in the thread');
      const thread = await arrivedIn(client, before, message, error);
      say('it is, and is not sent again');
      await tell(context, thread);
    } else throw error;
  }
}

async function tell({ flags, out, commandHint }: Context, thread: TicketThread): Promise<void> {
  if (flags.json) return out.json({ ticket: thread });
  const id = plainText(thread.id, 100);
  out.note(`the message is in ${id}`);
  if (out.isErrorTerminal) out.dim(commandHint(`wait for the answer: svc tickets watch ${id}`));
}

/** @throws ApiError 409 when nobody says yes. */
async function agreeToNew(context: Context, before: TicketThread, again: string): Promise<void> {
  const { flags, prompts } = context;
  const id = plainText(before.id, 100);
  const message = `${id} is closed and takes no message. Open a new ticket that cites it?`;
  if (flags.yes || (canAsk(context) && (await prompts.confirm({ message })))) return;
  throw new ApiError(`${id} is closed and takes no message`, {
    status: 409,
    code: 'ticket_closed',
    hint: `open a new one that cites it: \`${again}\``,
  });
}

async function openNew(
  context: Context,
  reporter: Reporter,
  { images, message }: Pick<Message, 'images' | 'message'>,
  before: TicketThread,
): Promise<void> {
  const { subject, category } = citedFrom(before);
  const body = { subject, message: citing(message, before.id), ...(category ? { category } : {}) };
  await openTicket(context, reporter, { body, images });
}

const longestWords = 300;

function againCommand({ id, text }: Words, { file, attach }: Options, isPiped: boolean): string {
  const start = `svc tickets create --follow-up ${shellWord(id)}`;
  // Without a message it is asked for.
  if (text.length === 0 && file === undefined && !isPiped) return start;
  const words = text.join(' ');
  const isShort = words !== '' && words.length <= longestWords && !/[\n\r]/.test(words);
  const message = isShort ? `--message ${shellWord(words)}` : `-f ${shellWord(file ?? '-')}`;
  return `${start} ${message}${attach.map((path) => ` --attach ${shellWord(path)}`).join('')}`;
}

/** How long to wait before each look, in milliseconds: the service may still be at work. */
const looksAfterMs = [0, 2000, 5000] as const;

/**
 * The thread with the message in it: more messages of ours with this text than before.
 * @throws OutcomeUnknown when it has not appeared, or nobody could be asked. It is never sent
 * again: what has not appeared may still be on its way.
 */
async function arrivedIn(
  client: Client,
  before: TicketThread,
  message: string,
  cause: Error,
): Promise<TicketThread> {
  const { clock, signal } = client;
  // A service may trim what it was given, and a form may change the ends of its lines.
  const bare = (text: string) => text.replaceAll('\r\n', '\n').trim();
  const countIn = ({ messages }: TicketThread) =>
    (messages ?? []).filter(
      ({ author, body }) => author === 'client' && bare(body ?? '') === bare(message),
    ).length;
  const unknown = (what: string) =>
    new OutcomeUnknown(`${cause.message}; ${what}`, {
      code: 'reply_unknown',
      hint: `look again before you send it again: \`svc tickets show ${plainText(before.id, 100)}\``,
      cause,
    });
  for (const waitMs of looksAfterMs) {
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    const thread = await getTicket(client, before.id).catch((error: unknown) => {
      throw signal.aborted ? error : unknown('the thread could not be read');
    });
    if (countIn(thread) > countIn(before)) return thread;
  }
  throw unknown('the message is not in the thread so far');
}
