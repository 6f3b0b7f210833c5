/** Runs the checks, shows what they find, and ends with the exit code of the first problem. */
import { failureError } from '../../api/failure.js';
import type { Handler } from '../../context.js';
import { getBalance } from '../../contract/billing.js';
import { NegativeResult, SvcError, knownFailure } from '../../errors.js';
import { wrapText } from '../../lib/wrap.js';
import type { CheckName } from '../../texts/doctor.js';
import { explanationOf } from '../../texts/explanation.js';
import { languageOnScreen, textsIn } from '../../texts/load.js';
import { markFor } from '../../terminal/meaning.js';
import type { Meaning } from '../../terminal/screen.js';
import { titles } from '../../terminal/types.js';
import { checks, type Check } from './checks.js';
import type { doctor } from './index.js';
import { Visit } from './visit.js';

/** Under --json; fields are added, never changed. */
interface CheckRow {
  readonly check: CheckName;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  readonly hint: string | null;
  /** What the code of a problem means, for a reader of another language on a terminal. */
  readonly explanation?: string | undefined;
}

type Examined = Pick<CheckRow, 'status' | 'message'> & {
  readonly hint?: string | undefined;
  readonly problem?: SvcError;
};

export const run: Handler<typeof doctor> = async (context, { options }) => {
  const { commandHint, flags, out, signal } = context;
  const language = languageOnScreen(context);
  const visit = new Visit(context, await textsIn(language));
  const spinner = await out.spinner((await textsIn(out.language)).doctor.checking, signal);
  const known = new Map<Check, Promise<Examined>>();
  /** Those that a check needs come before it, wherever they are shown. */
  const examined = (check: Check): Promise<Examined> => {
    const examination = known.get(check) ?? examine(check, visit, examined);
    known.set(check, examination);
    return examination;
  };
  const rows: CheckRow[] = [];
  let first: SvcError | undefined;
  for (const check of checks) {
    const { problem, hint, ...finding } = await examined(check);
    const more = problem && language !== 'en' ? await explanationOf(problem, language) : undefined;
    const explanation = more && `${more.label} ${commandHint(more.words)}`;
    const next = hint === undefined || more?.isHintSaid ? null : commandHint(hint);
    rows.push({ check: check.name, ...finding, hint: next, explanation });
    first ??= problem;
  }
  spinner.stop();
  if (flags.json) await out.json(rows);
  else await showRows(visit, rows, options.all ?? flags.verbose);
  if (first) throw new NegativeResult('', { cause: first });
};

const meanings = { ok: 'done', warning: 'waiting', problem: 'failed', skipped: 'over' } as const;

/** A person reads of what is in order only that it is, unless all is asked for. */
async function showRows({ context, texts }: Visit, rows: readonly CheckRow[], isAll: boolean) {
  const { commandHint, env, flags, out } = context;
  const { doctor } = texts;
  const markOf = (meaning: Meaning) => doctor.mark(markFor(meaning, env, out.isPlain));
  const isShort = out.isTerminal && !isAll;
  const shown = isShort ? rows.filter(({ status }) => !/ok|skipped/.test(status)) : rows;
  // On a terminal, what to do is below the message, marked as in errors.
  const cells = shown.flatMap(({ check, status, message, hint, explanation }) => {
    if (!out.isTerminal) return [[check, status, message, hint ?? '']];
    const row = [doctor.check(check), markOf(meanings[status]), message];
    const more = [explanation, hint === null ? undefined : doctor.hint(hint)];
    return [row, ...more.flatMap((words) => (words === undefined ? [] : [['', '', words]]))];
  });
  const { check, message: title, status } = doctor.titles;
  const messages = { title, wraps: true, min: 10 };
  const columns = titles(check, status, messages, ...(out.isTerminal ? [] : ['HINT']));
  if (cells.length > 0) await out.table(columns, cells);
  if (!isShort) return;
  const more = commandHint('svc doctor --all');
  if (shown.length > 0) {
    const count = (one: string) => rows.filter(({ status }) => status === one).length;
    out.note(doctor.othersAreFine(count('ok'), count('skipped'), more));
    return;
  }
  for (const words of [doctor.checked(flags.local), doctor.allIsWell(more)]) {
    const [first = '', ...rest] = wrapText(words, out.columns - 2);
    const mark = { text: markOf('done'), look: 'done' } as const;
    await out.spans([mark, { text: `${out.isPlain ? ':' : ''} ${first}` }]);
    for (const line of rest) await out.line(`  ${line}`);
  }
}

async function examine(
  { find, isRemote = false, needs = [] }: Check,
  visit: Visit,
  examined: (check: Check) => Promise<Examined>,
): Promise<Examined> {
  const { doctor: texts } = visit.texts;
  const skipped = (why: string) => ({ status: 'skipped', message: texts.notTried(why) }) as const;
  const { local: isLocal } = visit.context.flags;
  if (isRemote && isLocal) return skipped('--local');
  for (const needed of checks.filter(({ name }) => needs.includes(name))) {
    const { status } = await examined(needed);
    if (status === 'problem' || (status === 'skipped' && !isLocal))
      return skipped(texts.needs(needed.name));
  }
  try {
    const finding = await find(visit);
    if (typeof finding === 'string') return { status: 'ok', message: finding };
    if ('skipped' in finding) return skipped(finding.skipped);
    return { status: 'warning', message: finding.warning, hint: finding.hint };
  } catch (error) {
    const problem = knownFailure(failureError(error, getBalance));
    if (!(problem instanceof SvcError)) throw problem;
    return { status: 'problem', message: problem.message, hint: problem.hint, problem };
  }
}
