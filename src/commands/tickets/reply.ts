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
import { ApiError, UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { shellWord } from '../../lib/names.js';
import { openJobs } from '../jobs/world.js';
import { sayer } from '../jobs/sayer.js';
import { whileSending } from '../sending.js';
import { arrivedIn } from './arrival.js';
import { canAsk } from '../can-ask.js';
import { withDraft } from './draft.js';
import { citedFrom, citing } from './follow-up.js';
import { demandRoom, readImages } from './images.js';
import type { reply } from './index.js';
import { checkFields, openTicket, type Reporter } from './open.js';
import { textFrom } from './text.js';

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
  if (given !== undefined) {
    await send(context, reporter, { id, message: given, images, again });
    return;
  }
  await withDraft(context, async (draft) => {
    draft.sentBy(`svc tickets reply ${shellWord(id)}`);
    const before = await getTicket(reporter.client, id);
    // Asked before it is written, and not again after.
    const isClosed = before.status === 'closed';
    if (isClosed) {
      await agreeToNew(context, { before, again });
      draft.sentBy(again);
    }
    const message = await draft.write({ message: 'Message', help: threadHelp(before) });
    if (isClosed) await openNew(context, reporter, { message, images, before });
    else await send(context, reporter, { id, message, images, again, before });
  });
};

function threadHelp({ id, messages }: TicketThread): string {
  const last = messages?.at(-1);
  const words = last?.body?.split('\n').slice(0, 40) ?? [];
  const about = `A message to ${plainText(id, 100)}. The last one in it:`;
  return [about, ...words.map((line) => plainText(line, 200))].join('\n');
}

interface Message {
  readonly id: string;
  readonly message: string;
  readonly images: readonly Image[];
  /** The command that opens a ticket with the same message. */
  readonly again: string;
  /** When the thread has been read already. */
  readonly before?: TicketThread;
}

async function send(context: Context, reporter: Reporter, message: Message): Promise<void> {
  checkFields(TicketReplyRequest, { message: message.message });
  const { id, images } = message;
  const payload = formOf({ message: message.message }, images);
  const { flags } = context;
  const { client } = reporter;
  if (flags.dryRun || flags.curl) {
    await sendReply(client, { id, message: message.message, payload });
  }
  const before = message.before ?? (await getTicket(client, id));
  if (before.status === 'closed') {
    await offerNew(context, reporter, { ...message, before });
    return;
  }
  demandRoom(
    before.messages?.flatMap(({ attachments }) => attachments ?? []).length ?? 0,
    images.length,
  );
  try {
    const text = message.message;
    const thread = await (payload
      ? whileSending(context, payload, 'adding the message', (counted) =>
          sendReply(client, { id, message: text, payload: counted }),
        )
      : sendReply(client, { id, message: text }));
    await tell(context, thread);
  } catch (error) {
    if (context.signal.aborted) {
      context.out.error(
        context.onward(`the message may be in the thread; look: svc tickets show ${shellWord(id)}`),
      );
      throw error;
    }
    if (isClosedTicket(error)) await offerNew(context, reporter, { ...message, before });
    else if (outcomeIsUnknown(error)) {
      const say = sayer(context);
      say('no answer came; looking whether the message is in the thread');
      const thread = await arrivedIn(client, { before, message: message.message, cause: error });
      say('it is, and is not sent again');
      await tell(context, thread);
    } else throw error;
  }
}

async function tell({ flags, out, onward }: Context, thread: TicketThread): Promise<void> {
  if (flags.json) {
    await out.json({ ticket: thread });
    return;
  }
  const id = plainText(thread.id, 100);
  out.note(`the message is in ${id}`);
  if (out.isErrorTerminal) out.dim(onward(`wait for the answer: svc tickets watch ${id}`));
}

async function offerNew(
  context: Context,
  reporter: Reporter,
  message: Message & { readonly before: TicketThread },
): Promise<void> {
  await agreeToNew(context, message);
  await openNew(context, reporter, message);
}

/** @throws ApiError 409 when nobody says yes. */
async function agreeToNew(
  context: Context,
  { before, again }: { readonly before: TicketThread; readonly again: string },
): Promise<void> {
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
  { before, images, message }: Pick<Message, 'images' | 'message'> & { before: TicketThread },
): Promise<void> {
  const { subject, category } = citedFrom(before);
  const body = { subject, message: citing(message, before.id), ...(category ? { category } : {}) };
  await openTicket(context, reporter, { body, images });
}

const longestWords = 300;

function againCommand({ id, text }: Words, { file, attach }: Options, isPiped: boolean): string {
  const words = text.join(' ');
  const isShort = words !== '' && words.length <= longestWords && !/[\n\r]/.test(words);
  const message = isShort ? `--message ${shellWord(words)}` : `-f ${shellWord(file ?? '-')}`;
  const images = attach.map((path) => ` --attach ${shellWord(path)}`).join('');
  const start = `svc tickets create --follow-up ${shellWord(id)}`;
  // Without a message it is asked for.
  return text.length === 0 && file === undefined && !isPiped
    ? start
    : `${start} ${message}${images}`;
}
