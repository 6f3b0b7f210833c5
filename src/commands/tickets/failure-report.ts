import type { TicketBody } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import { tickets as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { redactReport } from '../../lib/redact-report.js';
import { isSameAccount, localService, type Account } from '../../state/account.js';
import { homeFolders } from '../../state/paths.js';
import { lastFailure, type LastFailure } from '../../state/small-files.js';

/** The report: what the person says comes first and wins, and nothing in it is secret. */
export function failureReport(
  { env, paths }: Pick<Context, 'env' | 'paths'>,
  account: Account,
  given: Partial<TicketBody>,
): TicketBody {
  const failure = lastFailure(paths).read();
  if (!failure) {
    throw new UsageError('no command has failed here, as far as is known', {
      code: 'no_failure',
      hint: 'describe it yourself: `svc tickets create`',
    });
  }
  const clean = (text: string) => redactReport(text, homeFolders(env));
  const { requestIds = [] } = given;
  const { min, max } = limits.requestIds.characters;
  const isOwn = isOf(failure, account);
  const found = failure.requestIds.filter((id) => id.length >= min && id.length <= max);
  const ids = [...new Set([...requestIds, ...(isOwn ? found : [])])];
  const most = Math.max(limits.requestIds.max, requestIds.length);
  const own = given.message === undefined ? '' : `${given.message.trimEnd()}\n\n`;
  const facts = factsOf(failure, isOwn).join('\n');
  // What is put in the place of a secret may be longer.
  const ownSubject = plainText(clean(subjectOf(failure)), limits.subjectCharacters.max);
  return {
    ...given,
    subject: given.subject === undefined ? ownSubject : clean(given.subject),
    message: clean(`${own}The last command that failed:\n\n${facts}\n`),
    category: given.category ?? categoryOf(failure),
    requestIds: ids.length === 0 ? undefined : ids.slice(0, most),
  };
}

/** A ticket may name requests of its own account only. */
function isOf({ account: theirs }: LastFailure, account: Account): boolean {
  if (theirs?.service === localService) return account.service === localService;
  return theirs !== undefined && isSameAccount(theirs, account);
}

function factsOf(failure: LastFailure, isOwn: boolean): string[] {
  const { command, exit, status, code, message, requestIds, atMs, svc, node, system } = failure;
  const hasIds = requestIds.length > 0;
  return [
    `command: ${command}`,
    `exit code: ${String(exit)}`,
    ...(status === undefined ? [] : [`status: ${String(status)}`]),
    ...(code === undefined ? [] : [`code: ${code}`]),
    `message: ${message}`,
    ...(hasIds ? [`request ids: ${requestIds.join(', ')}`] : []),
    ...(hasIds && !isOwn ? ['(of another account than this ticket)'] : []),
    `time: ${new Date(atMs).toISOString()}`,
    `svc: ${svc}`,
    `node: ${node}`,
    `system: ${system}`,
  ];
}

/** `svc chat failed: exit code 6, status 503, overloaded` */
function subjectOf({ command, exit, status, code }: LastFailure): string {
  const name = /^svc(?: [a-z][a-z-]*)*/.exec(command)?.[0] ?? 'svc';
  const parts = [`exit code ${exit}`, status && `status ${status}`, code].filter(Boolean);
  return `${name} failed: ${parts.join(', ')}`;
}

function categoryOf({ status, code }: LastFailure): TicketBody['category'] {
  if (status === 402) return 'billing';
  if (status === 401 || status === 403) return 'account';
  if (status !== undefined) return 'api_error';
  return code === 'bug' ? 'other' : 'integration';
}
