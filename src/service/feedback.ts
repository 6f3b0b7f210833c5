/** The legacy technical report: a ticket with other field names (sections 2.15 and 4.8). */
import { createFeedback } from '../contract/tickets.js';
import type { Call, Reply } from './call.js';
import { assertHolds } from './failure.js';
import { openTicket } from './tickets.js';

/** POST /v1/technical-feedback; its replies are not specified, so they are those of tickets. */
export async function create(call: Call): Promise<Reply> {
  const { summary, details, requestIds = [], ...fields } = await call.body(createFeedback.body);
  for (const [field, text] of Object.entries({ summary, details })) {
    const message = `${field} asks for money, access or limits: a technical report cannot change them`;
    assertHolds(!isOrder(text), 422, 'non_technical_instruction', message);
  }
  const report = { subject: summary, message: details, requestIds, ...fields };
  return openTicket(call, { ...report, source: 'technical-feedback' });
}

// An instruction is a clause that begins with a verb of giving, names money, access or limits, and says
// whose or how much: "please raise our limit". It is only refused: no text has consequences.

const courtesy =
  "please|kindly|now|just|also|then|you (?:must|should|have to)|(?:can|could|will|would) you|i (?:want|need|demand|ask) (?:that )?you(?: to)?|let's|пожалуйста|прошу|просьба|срочно";

const verbs =
  'refund|reimburse|compensate|credit|top up|return|give(?: back)?|transfer|pay(?: back)?|add|waive|write off|grant|issue|make|open|unblock|unlock|unban|restore|raise|increase|lift|remove|delete|cancel|' +
  'верните|вернуть|возместите|возместить|компенсируйте|начислите|начислить|зачислите|зачислить|пополните|пополнить|переведите|перевести|спишите|отмените|отменить|предоставьте|предоставить|дайте|выдайте|выдать|откройте|открыть|разблокируйте|разблокировать|увеличьте|увеличить|поднимите|поднять|снимите|снять|удалите|удалить';

const things =
  'money|funds?|balance|credits?|roubles?|rubles?|rub|payments?|charges?|invoices?|bonus|discount|refund|access|permissions?|admin|administrator|roles?|account|subscription|limits?|quotas?|keys?|' +
  'деньги|денег|средств\\p{L}*|баланс\\p{L}*|счет\\p{L}*|счёт\\p{L}*|рубл\\p{L}*|руб|плат[её]ж\\p{L}*|оплат\\p{L}*|бонус\\p{L}*|скидк\\p{L}*|доступ\\p{L}*|прав\\p{L}*|администратор\\p{L}*|аккаунт\\p{L}*|лимит\\p{L}*|квот\\p{L}*|ключ\\p{L}*';

const whose =
  'me|my|mine|us|our|ours|мне|меня|мой|мою|мо[её]|мои|моего|моему|мо[её]м|нам|нас|наш\\p{L}*';

const end = '(?![\\p{L}\\p{N}_])';
const word = (words: string) => new RegExp(`(?<![\\p{L}\\p{N}_])(?:${words})${end}`, 'iu');
const clauseOf = (words: string) =>
  new RegExp(`^(?:(?:${courtesy})\\s+){0,3}(?:${words})${end}`, 'iu');

const order = clauseOf(verbs);
const refund = clauseOf(
  '(?:refund|reimburse|compensate)\\s+(?:the|this|that|these|all|it|me|us|my|our)',
);
const amount = /\d\s*(?:rub|roubles?|rubles?|руб|рубл|₽|%|\$|€)|[₽$€]\s*\d/iu;
const thing = word(things);
const owner = word(whose);
const between = /[.!?;:,\n\r()"«»]+|(?<!\p{L})(?:and|then|и|а также|затем)(?!\p{L})/iu;

export function isOrder(text: string): boolean {
  const clauses = text.split(between).map((clause) => clause.trim());
  return clauses.some((clause) => {
    const isOwned = thing.test(clause) && owner.test(clause);
    return refund.test(clause) || (order.test(clause) && (isOwned || amount.test(clause)));
  });
}
