/** Fields of the command line, `a[b]=1` and `a[]=x`, as an object and as a query. */
import { UsageError } from '../../errors.js';
import { exactNumber, isJsonNumber } from '../../lib/json.js';

type Scalar = string | number | boolean | null;
type Node = Scalar | Node[] | Fields;
interface Fields {
  [key: string]: Node;
}

/** One field: where it goes, and what stands there. */
export interface Field {
  /** `a[b][]` is `['a', 'b', '']`; an empty step adds to a list. */
  readonly path: readonly string[];
  readonly value: Scalar;
}

/**
 * Splits `a[b]=text`.
 * @throws UsageError when it has no such form.
 */
export function splitField(field: string): { path: readonly string[]; text: string } {
  const match = /^([^[\]=]+)((?:\[[^[\]]*\])*)=([^]*)$/.exec(field);
  if (!match) {
    throw new UsageError(`a field is KEY=VALUE, KEY[SUB]=VALUE or KEY[]=VALUE, not "${field}"`, {
      code: 'invalid_field',
    });
  }
  const [, name = '', steps = '', text = ''] = match;
  return {
    path: [name, ...Array.from(steps.matchAll(/\[([^[\]]*)\]/g), ([, step = '']) => step)],
    text,
  };
}

/** `true`, `false`, `null` and numbers as such; anything else is text. @throws UsageError */
export function typed(text: string, name: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (!isJsonNumber(text)) return text;
  const number = exactNumber(text);
  if (number !== undefined) return number;
  throw new UsageError(`the field ${name} is a number that svc cannot hold exactly: ${text}`, {
    code: 'invalid_field',
    hint: `send it as text: -f ${name}=${text}`,
  });
}

/** The object that fields build together. @throws UsageError when they contradict each other. */
export function objectFrom(fields: readonly Field[]): Fields {
  const object = emptyFields();
  for (const { path, value } of fields) put(object, path, 0, value);
  return object;
}

/** Puts `value` at `path` from `depth` on into `holder`. */
function put(holder: Fields | Node[], path: readonly string[], depth: number, value: Scalar): void {
  const step = path[depth] ?? '';
  const next = path[depth + 1];
  if (Array.isArray(holder)) {
    putInList(holder, path, depth, value);
    return;
  }
  const there = holder[step];
  if (next === undefined) {
    if (there !== undefined) throw contradiction(path);
    holder[step] = value;
    return;
  }
  const fresh = next === '' ? [] : emptyFields();
  const inner = there === undefined ? fresh : there;
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner) !== (next === '')) {
    throw contradiction(path);
  }
  holder[step] = inner;
  put(inner, path, depth + 1, value);
}

/** `a[][b]=1 a[][c]=2 a[][b]=3` makes two objects: a field that the last one has opens the next. */
function putInList(list: Node[], path: readonly string[], depth: number, value: Scalar): void {
  const next = path[depth + 1];
  if (next === undefined) {
    list.push(value);
    return;
  }
  if (next === '') {
    const inner: Node[] = [];
    list.push(inner);
    put(inner, path, depth + 1, value);
    return;
  }
  const last = list.at(-1);
  const goesOn = isFields(last) && (last[next] === undefined || path.length > depth + 2);
  const inner = goesOn ? last : emptyFields();
  if (!goesOn) list.push(inner);
  put(inner, path, depth + 1, value);
}

function isFields(value: Node | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype, a field named __proto__ is a field like any other. */
function emptyFields(): Fields {
  return { __proto__: null };
}

function contradiction(path: readonly string[]): UsageError {
  return new UsageError(`the field ${nameOf(path)} contradicts another one of that name`, {
    code: 'invalid_field',
  });
}

/** `a[b][]` from its path. */
export function nameOf([name = '', ...steps]: readonly string[]): string {
  return name + steps.map((step) => `[${step}]`).join('');
}

/** Fields as a query, without its question mark, under the names they were given. */
export function queryFrom(fields: readonly Field[]): string {
  const query = new URLSearchParams();
  for (const { path, value } of fields) {
    query.append(nameOf(path), value === null ? '' : String(value));
  }
  return query.toString();
}
