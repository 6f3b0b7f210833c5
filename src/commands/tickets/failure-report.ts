import type { Context } from '../../context.js';
import { tickets as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { redactReport } from '../../lib/redact-report.js';
import { isSameAccount, localService, type Account } from '../../state/account.js';
import { homeFolders } from '../../state/paths.js';
import { lastFailure, type LastFailure } from '../../state/small-files.js';
import type { Given, Report } from './message.js';

/** A report of the last failure, with secrets removed; what the person gave comes first. */
export function failureReport(
  { env, paths }: Pick<Context, 'env' | 'paths'>,
  account: Account,
  given: Given,
): Report {
  const failure = lastFailure(paths).read();
  if (!failure) {
    throw new UsageError('no failed command is recorded', {
      code: 'no_failure',
      hint: 'describe the problem: `svc tickets create`',
    });
  }
  const { account: theirs, command, exit, status, code } = failure;
  // A ticket may name only requests of its own account.
  const isOwn =
    theirs?.service === localService
      ? account.service === localService
      : theirs !== undefined && isSameAccount(theirs, account);
  const clean = (text: string) => redactReport(text, homeFolders(env));
  const { requestIds = [] } = given;
  const { min, max } = limits.requestIds.characters;
  const found = failure.requestIds.filter((id) => id.length >= min && id.length <= max);
  const ids = [...new Set([...requestIds, ...(isOwn ? found : [])])];
  const most = Math.max(limits.requestIds.max, requestIds.length);
  const name = /^svc(?: [a-z][a-z-]*)*/.exec(command)?.[0] ?? 'svc';
  const parts = [`exit code ${exit}`, status && `status ${status}`, code].filter(Boolean);
  const subject = clean(`${name} failed: ${parts.join(', ')}`);
  const own = given.message === undefined ? '' : `${given.message.trimEnd()}\n\n`;
  const facts = factsOf(failure, isOwn).join('\n');
  return {
    ...given,
    // A placeholder may be longer than the secret it replaces.
    subject: clean(given.subject ?? '') || plainText(subject, limits.subjectCharacters.max),
    message: clean(`${own}The last command that failed:\n\n${facts}\n`),
    category: given.category ?? categoryOf(failure),
    requestIds: ids.length === 0 ? undefined : ids.slice(0, most),
  };
}

function factsOf(failure: LastFailure, isOwn: boolean): string[] {
  const { command, exit, status, code, message, requestIds, atMs, svc, node, system } = failure;
  const foreign = isOwn ? '' : '\n(of another account than this ticket)';
  const ids = requestIds.length === 0 ? undefined : requestIds.join(', ') + foreign;
  const time = new Date(atMs).toISOString();
  const outcome = { command, 'exit code': exit, status, code, message, 'request ids': ids };
  const facts = { ...outcome, time, svc, node, system };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
}

function categoryOf({ status, code }: LastFailure): Report['category'] {
  if (status === 402) return 'billing';
  if (status === 401 || status === 403) return 'account';
  if (status !== undefined) return 'api_error';
  return code === 'bug' ? 'other' : 'integration';
}
