import type { Context } from '../../context.js';
import type { InputOf } from '../../command.js';
import { DecisionRequest, type createDecisions } from '../../contract/decisions.js';
import type { EndpointInput } from '../../contract/endpoint.js';
import { decisionTypes } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { UsageError, type ErrorCode } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { isRecord, listOf, parsedJson, withDigits } from '../../lib/json.js';
import { guess, nearest } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import type { decide } from './index.js';

type Body = EndpointInput<typeof createDecisions>['body'];
export type Questions = Body['questions'];
type Options = InputOf<typeof decide>['options'];

export async function questionsFrom(context: Context, flags: Options): Promise<Questions> {
  const { questions: path } = flags;
  const inFile = path === undefined ? undefined : await questionsIn(context, path);
  if (inFile !== undefined && !isRecord(inFile)) {
    throw invalid('--questions: the file does not map names to questions');
  }
  const inFlags = decisionTypes.flatMap((type) => {
    const [texts, flag] = type === 'noul' ? [flags.yesNo, 'yes-no'] : [flags[type], type];
    return texts.map((text) => ({ type, named: nameAndText(text, `--${flag}`) }));
  });
  const options = flags.option.map(optionOf);
  const levels = flags.level.map((text) => nameAndText(text, '--level'));
  const criteriaFor = {
    choice: (name: string) => unique(name, of(options, name)),
    score: (name: string) => of(levels, name),
    noul: () => undefined,
  };
  const all: Named<unknown>[] = [
    ...Object.entries(inFile ?? {}),
    ...inFlags.map(({ type, named: [name, instructions] }): Named<unknown> => {
      return [name, { type, instructions, criteria: criteriaFor[type](name) }];
    }),
  ];
  const twice = repeated(all);
  if (twice !== undefined) throw invalid(`the question ${quoted(twice)} is given twice`);
  for (const [flag, criteria, owner] of [
    ['option', options, 'choice'],
    ['level', levels, 'score'],
  ] as const) {
    const names = inFlags.filter(({ type }) => type === owner).map(({ named: [name] }) => name);
    const [stray] = criteria.find(([name]) => !names.includes(name)) ?? [];
    if (stray === undefined) continue;
    throw invalid(`--${flag}: there is no --${owner} ${quoted(stray)}${guess(stray, names)}`);
  }
  return checked(Object.fromEntries(all));
}

type Named<Value> = readonly [name: string, value: Value];

function of<Value>(named: readonly Named<Value>[], owner: string): Value[] {
  return named.filter(([name]) => name === owner).map(([, value]) => value);
}

function checked(questions: Readonly<Record<string, unknown>>): Questions {
  if (Object.keys(questions).length === 0) {
    const hint =
      'give one: --choice, --score, --yes-no, or --questions FILE; see `svc decide --help`';
    throw new UsageError('no question given', { code: 'no_question', hint });
  }
  for (const [name, question] of Object.entries(questions)) {
    const fault = faultOf(name, question);
    if (fault !== undefined) throw invalid(fault);
  }
  const body = { state: '', questions };
  const parsed = DecisionRequest.safeParse(body);
  if (!parsed.success) throw invalid(explain(parsed.error, body));
  return parsed.data.questions;
}

function faultOf(name: string, question: unknown): string | undefined {
  if (name.trim() === '') return 'a question has no name';
  if (name === '__proto__') return `a question cannot be named ${quoted(name)}`;
  if (!isRecord(question)) return undefined;
  const { type, instructions, criteria } = question;
  if (typeof type === 'string' && !decisionTypes.some((known) => known === type)) {
    const meant = nearest(type, decisionTypes) ?? `one of ${decisionTypes.join(', ')}`;
    return `the question ${quoted(name)} has the unknown type ${quoted(type)}; did you mean ${meant}?`;
  }
  if (instructions === '') return `the question ${quoted(name)} has no text`;
  const isEmpty = Object.keys(criteria ?? {}).length === 0;
  if (type === 'choice' && isEmpty) {
    return `the choice ${quoted(name)} has no options; give --option ${name}:OPTION=MEANING`;
  }
  if (type === 'score' && isEmpty) {
    return `the score ${quoted(name)} has no levels; give --level ${name}=LEVEL`;
  }
  return type === 'noul' && criteria !== undefined
    ? `the noul question ${quoted(name)} does not accept criteria`
    : undefined;
}

/** `team:billing=payments`; without a meaning, the option is its own meaning. */
function optionOf(text: string): Named<Named<string>> {
  const [, name, option = '', meaning = ''] = /^([^:=]+):([^=]+)(?:=([^]*))?$/.exec(text) ?? [];
  if (name !== undefined) return [name, [option, meaning === '' ? option : meaning]];
  throw invalid(`--option needs NAME:OPTION=MEANING, not ${quoted(text)}`);
}

function nameAndText(text: string, flag: string): Named<string> {
  const [, name = '', rest = ''] = /^([^=]*)=([^]*)$/.exec(text) ?? [];
  if (name.trim() !== '' && rest.trim() !== '') return [name, rest];
  throw invalid(`${flag} needs NAME=TEXT, not ${quoted(text)}`);
}

function unique(name: string, options: readonly Named<string>[]) {
  const twice = repeated(options);
  if (twice === undefined) return Object.fromEntries(options);
  throw invalid(`the option ${quoted(twice)} of ${quoted(name)} is given twice`);
}

function repeated(entries: readonly Named<unknown>[]) {
  const names = entries.map(([name]) => name);
  return names.find((name, index) => names.indexOf(name) < index);
}

export function quoted(text: string): string {
  return JSON.stringify(plainText(text, 60));
}

export function invalid(message: string, code: ErrorCode = 'invalid_question'): UsageError {
  return new UsageError(message, { code, hint: 'svc decide --help' });
}

export async function stateFrom(
  { stdin }: Context,
  { state, questions }: Pick<Options, 'state' | 'questions'>,
): Promise<Body['state']> {
  const isPiped = state === '-' || (state === undefined && !stdin.isTerminal);
  if (isPiped && questions === '-') {
    throw invalid('--questions - uses stdin: give the state with --state', 'usage');
  }
  let text = state ?? '';
  // A byte order mark is not part of the text, and would keep JSON from being parsed.
  if (isPiped) text = (await stdin.text()).replace(/^\ufeff/, '');
  else if (text.startsWith('@')) text = await readText(text.slice(1), '--state');
  if (text.trim() === '') {
    const hint = "give --state 'TEXT' or --state @FILE, or pipe it in";
    throw new UsageError('no state given', { code: 'no_state', hint });
  }
  const value = /^\s*[[{]/.test(text) ? parsedJson(text) : undefined;
  if (isRecord(value)) return { ...value };
  return value === undefined ? text : withDigits([...listOf(value)], value);
}

async function questionsIn({ stdin }: Context, path: string): Promise<unknown> {
  const text = path === '-' ? await stdin.text() : await readText(path, '--questions');
  const value = parsedJson(text);
  if (value !== undefined) return value;
  const { yamlIn } = await import('../../files/yaml.js');
  return yamlIn(text, `--questions: ${path === '-' ? 'stdin' : path}`, 'invalid_questions');
}
