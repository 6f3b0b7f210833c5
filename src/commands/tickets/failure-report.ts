/** A report of the last command that failed, made of what is kept of it. */
import type { TicketBody } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import { tickets as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { redactReport } from '../../lib/redact-report.js';
import { isSameAccount, localService, type Account } from '../../state/account.js';
import { homeFolders } from '../../state/paths.js';
import { readLastFailure, type LastFailure } from '../../state/small-files.js';

/**
 * The report: what the person says comes first and wins, and nothing in it is secret.
 * @throws UsageError when no command has failed.
 */
export function failureReport(
  { env, paths }: Pick<Context, 'env' | 'paths'>,
  account: Account,
  given: Partial<TicketBody>,
): TicketBody {
  const failure = readLastFailure(paths);
  if (!failure) {
    throw new UsageError('no command has failed here, as far as is known', {
      code: 'no_failure',
      hint: 'describe it yourself: `svc tickets create`',
    });
  }
  const clean = (text: string) => redactReport(text, homeFolders(env));
  const isOwn = isOf(failure, account);
  const facts = factsOf(failure, isOwn).join('\n');
  const own = given.message === undefined ? '' : `${given.message.trimEnd()}\n\n`;
  const requestIds = [...new Set([...(given.requestIds ?? []), ...(isOwn ? idsOf(failure) : [])])];
  return {
    ...given,
    subject: given.subject === undefined ? subjectOf(failure, clean) : clean(given.subject),
    message: clean(`${own}The last command that failed:\n\n${facts}\n`),
    category: given.category ?? categoryOf(failure),
    ...(requestIds.length > 0
      ? {
          requestIds: requestIds.slice(
            0,
            Math.max(limits.requestIds.max, given.requestIds?.length ?? 0),
          ),
        }
      : {}),
  };
}

/** A ticket may name requests of its own account only. */
function isOf({ account: theirs }: LastFailure, account: Account): boolean {
  if (!theirs) return false;
  if (theirs.service === localService) return account.service === localService;
  return isSameAccount(theirs, account);
}

function idsOf({ requestIds }: LastFailure): string[] {
  const { min, max } = limits.requestIds.characters;
  return requestIds.filter((id) => id.length >= min && id.length <= max);
}

function factsOf(failure: LastFailure, isOwn: boolean): string[] {
  const { command, exit, status, code, message, requestIds, atMs, svc, node, system } = failure;
  return [
    `command: ${command}`,
    `exit code: ${String(exit)}`,
    ...(status === undefined ? [] : [`status: ${String(status)}`]),
    ...(code === undefined ? [] : [`code: ${code}`]),
    `message: ${message}`,
    ...(requestIds.length === 0 ? [] : [`request ids: ${requestIds.join(', ')}`]),
    ...(isOwn || requestIds.length === 0 ? [] : ['(of another account than this ticket)']),
    `time: ${new Date(atMs).toISOString()}`,
    `svc: ${svc}`,
    `node: ${node}`,
    `system: ${system}`,
  ];
}

/** `svc chat failed: exit code 6, status 503, overloaded` */
function subjectOf(
  { command, exit, status, code }: LastFailure,
  clean: (text: string) => string,
): string {
  const name = /^svc(?: [a-z][a-z-]*)*/.exec(command)?.[0] ?? 'svc';
  const parts = [
    `exit code ${String(exit)}`,
    ...(status === undefined ? [] : [`status ${String(status)}`]),
    ...(code === undefined ? [] : [code]),
  ];
  // What is put in the place of a secret may be longer.
  return plainText(clean(`${name} failed: ${parts.join(', ')}`), limits.subjectCharacters.max);
}

function categoryOf({ status, code }: LastFailure): TicketBody['category'] {
  if (status === 402) return 'billing';
  if (status === 401 || status === 403) return 'account';
  if (status !== undefined) return 'api_error';
  return code === 'bug' ? 'other' : 'integration';
}
