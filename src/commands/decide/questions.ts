/** The questions, from the command line and from a file. */
import type { DecisionBody, DecisionInput } from '../../api/decisions.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { DecisionRequest } from '../../contract/decisions.js';
import { decisionTypes } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { isRecord } from '../../lib/json.js';
import { nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import type { decide } from './index.js';

/** What the options of the command line say, each in the order it was given. */
type QuestionFlags = Pick<
  InputOf<typeof decide>['options'],
  'choice' | 'option' | 'score' | 'level' | 'noul'
>;

export type Questions = Readonly<Record<string, DecisionInput>>;

/**
 * @param inFile what the file of --questions holds; undefined without one.
 * @throws UsageError in one sentence for what the service would not take.
 */
export function questionsFrom(flags: QuestionFlags, inFile: unknown): Questions {
  const asked = new Map<string, unknown>();
  const add = (name: string, question: unknown) => {
    if (asked.has(name)) throw invalid(`the question ${quoted(name)} is asked twice`);
    asked.set(name, question);
  };
  for (const [name, question] of Object.entries(fileQuestions(inFile))) add(name, question);
  const options = criteria(flags.option, '--option', optionOf);
  const levels = criteria(flags.level, '--level', (text) => nameAndText(text, '--level'));
  for (const text of flags.choice) {
    const [name, instructions] = nameAndText(text, '--choice');
    add(name, { type: 'choice', instructions, criteria: unique(name, options.take(name)) });
  }
  for (const text of flags.score) {
    const [name, instructions] = nameAndText(text, '--score');
    add(name, { type: 'score', instructions, criteria: levels.take(name) });
  }
  for (const text of flags.noul) {
    const [name, instructions] = nameAndText(text, '--noul');
    add(name, { type: 'noul', instructions });
  }
  options.assertNoneLeft('--choice');
  levels.assertNoneLeft('--score');
  return checked(Object.fromEntries(asked));
}

function fileQuestions(inFile: unknown): Readonly<Record<string, unknown>> {
  if (inFile === undefined) return {};
  if (isRecord(inFile)) return inFile;
  throw invalid('--questions: the file holds no questions by name');
}

/** Holds them against what the service takes, and what it would have to refuse. */
function checked(questions: Readonly<Record<string, unknown>>): Questions {
  if (Object.keys(questions).length === 0) {
    throw new UsageError('there is no question', {
      code: 'no_question',
      hint: 'ask one: --choice, --score, --noul, or --questions FILE; see `svc decide --help`',
    });
  }
  for (const [name, question] of Object.entries(questions)) checkQuestion(name, question);
  const body = { state: '', questions };
  const parsed = DecisionRequest.safeParse(body);
  if (!parsed.success) throw invalid(explain(parsed.error, body));
  return parsed.data.questions;
}

/** What can be said better than by the name of a field. */
function checkQuestion(name: string, question: unknown): void {
  if (name.trim() === '') throw invalid('a question has no name');
  if (name === '__proto__') throw invalid(`no question can be called ${quoted(name)}`);
  if (!isRecord(question)) return;
  const { type, instructions, criteria: given } = question;
  if (typeof type === 'string' && !decisionTypes.some((known) => known === type)) {
    const similar = nearest(type, decisionTypes);
    const meant = similar ?? `one of ${decisionTypes.join(', ')}`;
    throw invalid(
      `the question ${quoted(name)} is of the unknown type ${quoted(type)}; did you mean ${meant}?`,
    );
  }
  if (instructions === '') throw invalid(`the question ${quoted(name)} asks nothing`);
  const isEmpty =
    given === undefined ||
    (typeof given === 'object' && given !== null && Object.keys(given).length === 0);
  if (type === 'choice' && isEmpty) {
    throw invalid(
      `the choice ${quoted(name)} has no options; give --option ${name}:OPTION=MEANING`,
    );
  }
  if (type === 'score' && isEmpty) {
    throw invalid(`the score ${quoted(name)} has no levels; give --level ${name}=LEVEL`);
  }
  if (type === 'noul' && given !== undefined) {
    throw invalid(`the noul question ${quoted(name)} takes no criteria: it is answered by itself`);
  }
}

/** `team:billing=payments`; without a meaning, the option means what it says. */
function optionOf(text: string): readonly [name: string, option: readonly [string, string]] {
  const [before, meaning] = parted(text, '=');
  const [name, option] = parted(before, ':');
  if (name === '' || option === undefined || option === '') {
    throw invalid(`--option takes NAME:OPTION=MEANING, not ${quoted(text)}`);
  }
  return [name, [option, meaning === undefined || meaning === '' ? option : meaning]];
}

function nameAndText(text: string, flag: string): readonly [name: string, text: string] {
  const [name, rest] = parted(text, '=');
  if (name.trim() === '' || rest === undefined || rest.trim() === '') {
    throw invalid(`${flag} takes NAME=TEXT, not ${quoted(text)}`);
  }
  return [name, rest];
}

/** What stands before and after a sign; undefined after it when there is none. */
function parted(text: string, sign: string): readonly [before: string, after: string | undefined] {
  const at = text.indexOf(sign);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + sign.length)];
}

/** The criteria that were given for each question. */
function criteria<Criterion>(
  texts: readonly string[],
  flag: string,
  parse: (text: string) => readonly [name: string, criterion: Criterion],
) {
  const byName = new Map<string, Criterion[]>();
  for (const text of texts) {
    const [name, criterion] = parse(text);
    byName.set(name, [...(byName.get(name) ?? []), criterion]);
  }
  const names: string[] = [];
  return {
    take: (name: string): Criterion[] => {
      const found = byName.get(name) ?? [];
      names.push(name);
      byName.delete(name);
      return found;
    },
    assertNoneLeft: (owner: string): void => {
      const [name] = byName.keys();
      if (name === undefined) return;
      throw invalid(`${flag}: there is no ${owner} ${quoted(name)}${guess(name, names)}`);
    },
  };
}

function unique(
  name: string,
  options: readonly (readonly [string, string])[],
): Record<string, string> {
  const seen = new Set<string>();
  for (const [option] of options) {
    if (seen.has(option))
      throw invalid(`the option ${quoted(option)} of ${quoted(name)} is given twice`);
    seen.add(option);
  }
  return Object.fromEntries(options);
}

export function guess(word: string, candidates: readonly string[]): string {
  const similar = nearest(word, candidates);
  return similar === undefined ? '' : `; did you mean ${plainText(similar, 60)}?`;
}

export function quoted(text: string): string {
  return JSON.stringify(plainText(text, 60));
}

function invalid(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_question', hint: 'svc decide --help' });
}

type State = DecisionBody['state'];

/**
 * What `--state` says, or what is piped in.
 * @param stdinIsTaken the questions come from there.
 * @throws UsageError when there is none; LocalFileError.
 */
export async function stateFrom(
  { stdin }: Context,
  given: string | undefined,
  stdinIsTaken: boolean,
): Promise<State> {
  const isPiped = given === '-' || (given === undefined && !stdin.isTerminal);
  if (isPiped && stdinIsTaken) {
    throw new UsageError('--questions - leaves no stdin for the state: give --state', {
      code: 'usage',
      hint: 'svc decide --help',
    });
  }
  const text = isPiped
    ? // A byte order mark is no part of the text; before JSON it would keep it from being read.
      (await stdin.text()).replace(/^\ufeff/, '')
    : given?.startsWith('@')
      ? await readText(given.slice(1), '--state')
      : (given ?? '');
  if (text.trim() !== '') return structured(text);
  throw new UsageError('there is no state to decide about', {
    code: 'no_state',
    hint: "give --state 'TEXT' or --state @FILE, or pipe it in",
  });
}

/** A JSON object or list as such, any other text as it is. */
function structured(text: string): State {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value.map((item: unknown) => item);
    return isRecord(value) ? { ...value } : text;
  } catch {
    return text;
  }
}

/**
 * What the file of --questions holds.
 * @throws UsageError when it is neither JSON nor YAML; LocalFileError.
 */
export async function questionsIn({ stdin }: Context, path: string): Promise<unknown> {
  const text = path === '-' ? await stdin.text() : await readText(path, '--questions');
  try {
    return JSON.parse(text);
  } catch {
    const { yamlIn } = await import('./yaml.js');
    return yamlIn(text, path === '-' ? 'stdin' : path);
  }
}
