/** Turns a schema's findings into one plain sentence; the schema library has no messages. */
import type * as z from 'zod/mini';

type Issue = z.core.$ZodIssue;
/** What the schema library says when no message was given. */
const noMessage = 'Invalid input';

/** `temperature must be at most 2`. Never quotes values. @param subject names the whole. */
export function explain(
  error: { readonly issues: readonly Issue[] },
  input: unknown,
  subject = 'the request',
): string {
  const issue = error.issues[0];
  return issue ? explainIssue(issue, [], input, subject) : `${subject} is invalid`;
}

function explainIssue(
  issue: Issue,
  parent: readonly PropertyKey[],
  input: unknown,
  subject: string,
): string {
  const path = [...parent, ...issue.path];
  if (issue.code === 'invalid_union' && issue.message === noMessage) {
    const nearest = nearestBranch(issue.errors);
    if (nearest) return explainIssue(nearest, path, input, subject);
  }
  const name = path.length === 0 ? subject : pathText(path);
  return `${name} ${fault(issue, valueAt(input, path))}`;
}

/** A value that fits no branch was probably meant for the one that failed deepest. */
function nearestBranch(branches: readonly (readonly Issue[])[]): Issue | undefined {
  const firsts = branches.flatMap((issues) => issues.slice(0, 1));
  const deepest = Math.max(0, ...firsts.map((issue) => issue.path.length));
  if (deepest > 0) return firsts.find((issue) => issue.path.length === deepest);
  return firsts.find((issue) => issue.code !== 'invalid_type');
}

function fault(issue: Issue, value: unknown): string {
  if (value === undefined && issue.code !== 'unrecognized_keys') return 'is missing';
  if (issue.message !== noMessage) return issue.message;
  const isInclusive = !('inclusive' in issue) || issue.inclusive !== false;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`;
    case 'too_small':
      return `must ${bound(issue.origin, isInclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, isInclusive ? 'at most' : 'less than', issue.maximum)}`;
    case 'invalid_value':
      return `must be ${list('or', issue.values.map(String))}`;
    case 'unrecognized_keys':
      return unknownFields(issue.keys);
    case 'invalid_union':
      return `must be ${unionChoices(issue)}`;
    default:
      return 'is invalid';
  }
}

function unknownFields(names: readonly string[]): string {
  const more = names.length > 5 ? [`${names.length - 5} more`] : [];
  const all = [...names.slice(0, 5).map(quoted), ...more];
  return `has the unknown ${names.length === 1 ? 'field' : 'fields'} ${list('and', all)}`;
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'array') return `have ${relation} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  if (origin !== 'string') return `be ${relation} ${limit}`;
  return limit === 1 && relation === 'at least'
    ? 'not be empty'
    : `be ${relation} ${limit} characters long`;
}

function unionChoices(issue: z.core.$ZodIssueInvalidUnion): string {
  if ('options' in issue && issue.options) return list('or', issue.options.map(String));
  const types = issue.errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [typeName(first.expected)] : [],
  );
  return types.length > 0 ? list('or', types) : 'of another type';
}

function typeName(expected: string): string {
  if (expected === 'int') return 'a whole number';
  if (expected === 'record') return 'an object';
  if (expected === 'null') return expected;
  return `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;
}

function list(conjunction: 'and' | 'or', words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${text}[${quoted(name)}]`;
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    input,
  );
}
