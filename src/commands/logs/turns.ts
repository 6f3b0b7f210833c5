/** Turns of the log, as commands name them and as --json prints them. */
import type { KeptMessage } from '../../api/chat/conversation.js';
import { messagesOf } from '../../chat/logged-turns.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import type { Log, Turn } from '../../state/log.js';
import { toJson } from '../../lib/json.js';

/** The turn or the conversation with this name, and its last turn; the newest for `@last`. @throws UsageError */
export function entryOf(log: Log, name: string) {
  const id = name === '@last' ? log.turns({}, 1)[0]?.id : /^\d{1,15}$/.exec(name)?.[0];
  const turn = id === undefined ? undefined : log.turn(Number(id));
  if (turn) return { at: turn.id, conversation: turn.conversation, isTurn: true };
  const conversation = log.conversation(name);
  if (conversation) return { at: conversation.head, conversation: conversation.id, isTurn: false };
  throw new UsageError(`the log does not contain ${JSON.stringify(plainText(name, 60))}`, {
    code: 'not_in_log',
    hint: 'list turns with `svc logs`, conversations with `svc logs conversations`',
  });
}

/** Fields are added, never changed. */
export async function turnJson(log: Log, turn: Turn) {
  const { model, format, service, question, finishReason } = turn;
  const { inputTokens, outputTokens, priceRub, ms, generationId } = turn;
  return {
    id: turn.id,
    conversation: `c${turn.conversation}`,
    name: turn.name,
    createdAt: new Date(turn.atMs).toISOString(),
    ...{ model, format, service, program: turn.program ?? undefined, question },
    answer: turn.answered === null ? null : textIn((await messagesOf(log, turn)).at(-1)),
    complete: turn.isComplete === 1,
    finishReason,
    usage: { inputTokens, outputTokens },
    cost: { priceRub },
    ids: { generationId },
    ms,
  };
}

/** Its text as Markdown, without its reasoning. */
export function textIn(message: KeptMessage | undefined): string {
  const texts = message?.parts.flatMap((part) => {
    if (part.type === 'reasoning') return [];
    if (part.type === 'text') return [part.text];
    if (part.type === 'image') {
      const where = part.path ?? plainText(part.url ?? '', 100);
      return [`[image: ${where === '' ? 'not kept' : where}]`];
    }
    return [`~~~~json\n${toJson(part)}\n~~~~`];
  });
  return texts?.join('\n\n') ?? '';
}
