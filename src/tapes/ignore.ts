/** JSON paths of what does not count in a request: `$.metadata.id`, `$.messages[0]['x y']`, `$.tools[*].id`. */
import { canonicalJson, parseJson } from '../lib/json.js';

const step = /\.([\w-]+|\*)|\[(\d+|\*)\]|\['([^']*)'\]/y;

/** The steps of a path; undefined for what is none. */
export function stepsOf(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  let at = 1;
  for (; path.startsWith('$') && at < path.length; at = step.lastIndex) {
    step.lastIndex = at;
    const [, name, index, quoted] = step.exec(path) ?? [];
    const one = name ?? index ?? quoted;
    if (one === undefined) return undefined;
    steps.push(one);
  }
  return steps.length > 0 ? steps : undefined;
}

/** A copy of a JSON value without what the paths name. */
export function without(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0) return value;
  const copy = parseJson(canonicalJson(value));
  for (const steps of paths) drop(copy, steps);
  return copy;
}

function drop(value: unknown, [step = '', ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const names = step === '*' ? Object.keys(value) : [step];
  for (const name of names) {
    // What all objects have in common is no part of a body: $.constructor.keys would break svc.
    if (!Object.hasOwn(value, name)) continue;
    if (rest.length === 0) Reflect.deleteProperty(value, name);
    else drop(Reflect.get(value, name), rest);
  }
}
