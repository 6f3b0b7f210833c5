import type { Context } from '../../context.js';
import { tickets as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { redact } from '../../lib/redact.js';
import { isSameAccount, localService, type Account } from '../../state/account.js';
import { lastFailure, type LastFailure } from '../../state/small-files.js';
import type { ReportFields, Report } from './message.js';

/** A report of the facts of the last failure; what the person says comes first. */
export function failureReport(
  { paths }: Pick<Context, 'paths'>,
  account: Account,
  fields: ReportFields,
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
  const { requestIds = [] } = fields;
  const { min, max } = limits.requestIds.characters;
  const ownIds = isOwn ? failure.requestIds : [];
  const ids = new Set([
    ...requestIds,
    ...ownIds.filter(({ length }) => length >= min && length <= max),
  ]);
  const maxIds = Math.max(limits.requestIds.max, requestIds.length);
  const name = /^svc(?: [a-z][a-z-]*(?= |$))*/.exec(command)?.[0] ?? 'svc';
  const parts = [`exit code ${exit}`, status && `status ${status}`, code].filter(Boolean);
  const subject = plainText(`${name} failed: ${parts.join(', ')}`, limits.subjectCharacters.max);
  const own = fields.message === undefined ? '' : `${redact(fields.message.trimEnd())}\n\n`;
  const facts = factsOf(failure, isOwn).join('\n');
  return {
    ...fields,
    subject: redact(fields.subject ?? '') || subject,
    message: `${own}The last command that failed:\n\n${facts}\n`,
    category: fields.category ?? categoryOf(failure),
    requestIds: ids.size === 0 ? undefined : [...ids].slice(0, maxIds),
  };
}

function factsOf(failure: LastFailure, isOwn: boolean): string[] {
  const { command, exit, status, code, requestIds, atMs, svc, node, system } = failure;
  const foreign = isOwn ? '' : '\n(of another account than this ticket)';
  const ids = requestIds.length === 0 ? undefined : requestIds.join(', ') + foreign;
  const time = new Date(atMs).toISOString();
  const outcome = { command, 'exit code': exit, status, code, 'request ids': ids };
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
