/** The state and the file of questions, read and parsed. */
import type { DecisionBody } from '../../api/decisions.js';
import type { Context } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { isRecord } from '../../lib/json.js';

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
