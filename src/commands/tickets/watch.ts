import { poll } from '../../api/poll.js';
import { getTicket, type TicketMessage, type TicketThread } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { ApiError } from '../../errors.js';
import { formatElapsed } from '../../lib/duration.js';
import { plainText } from '../../lib/plain-text.js';
import { usualPatienceMs } from '../../jobs/options.js';
import type { watch } from './index.js';
import { showMessages } from './show.js';

/** One question must not use up the patience for the answer, nor outlast it by more than a moment. */
const askMs = 30_000;
const lastLookMs = 1000;

/** Waits for an answer and shows it. */
export const run: Handler<typeof watch> = async (context, { args }) => {
  const { flags, out } = context;
  const thread = await awaited(context, args.id);
  const answer = answerIn(thread);
  if (flags.json) await out.json({ ticket: thread });
  else await showMessages(out, answer);
  if (thread.status === 'closed' && answer.length === 0) throw closedUnanswered(args.id);
};

async function awaited(context: Context, id: string): Promise<TicketThread> {
  const { clock, flags, out, signal, commandHint } = context;
  const client = await context.client();
  const startedAtMs = clock.now();
  let trouble = '';
  const shownId = plainText(id, 100);
  const words = () =>
    `waiting for an answer · ${formatElapsed(clock.now() - startedAtMs)} · ${shownId}${trouble}`;
  const spinner = flags.json ? undefined : await out.spinner(words());
  spinner?.update(words);
  try {
    return await poll({
      clock,
      signal,
      ask: (remainingMs) => {
        const limitMs = Math.min(askMs, Math.max(remainingMs, lastLookMs));
        return getTicket({ ...client, deadlineMs: limitMs }, id);
      },
      isDone: (thread) =>
        thread.status === 'closed' || thread.status === 'replied' || answerIn(thread).length > 0,
      onState: () => {
        trouble = '';
      },
      onTrouble: (error) => {
        trouble = ` · no answer of the service, asking again: ${plainText(error.message, 80)}`;
      },
      deadlineMs: flags.timeoutMs ?? usualPatienceMs,
      pending: () => ({
        message: `${id} has no answer yet`,
        hint: `go on waiting: \`svc tickets watch ${id}\``,
      }),
    });
  } catch (error) {
    if (signal.aborted)
      out.error(commandHint(`the ticket stays as it is; come back: svc tickets watch ${shownId}`));
    throw error;
  } finally {
    spinner?.stop();
  }
}

/** What staff wrote after the last message of ours; all it wrote when the ticket says it is answered. */
function answerIn({ status, messages }: TicketThread): TicketMessage[] {
  const all = messages ?? [];
  const isStaff = ({ author }: TicketMessage) => author === 'staff';
  const lastOurs = all.findLastIndex((message) => !isStaff(message));
  const after = all.slice(lastOurs + 1);
  if (after.length > 0 || status !== 'replied') return after;
  return all.filter(isStaff).slice(-1);
}

function closedUnanswered(id: string): ApiError {
  return new ApiError(`${id} is closed, so no answer will come`, {
    status: 409,
    code: 'ticket_closed',
    hint: `open a new one that cites it: \`svc tickets create --follow-up ${id}\``,
  });
}
