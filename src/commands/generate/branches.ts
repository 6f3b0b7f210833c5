/** Of a schema that leaves a choice, keeps only what is wrong with the choice that was meant. */
import type { ErrorObject } from 'ajv/dist/2020.js';

/**
 * The errors that say something: where a schema has alternatives, ajv reports all that is wrong
 * with each of them. The one with the fewest faults was meant.
 */
export function leavesOf(errors: readonly ErrorObject[]): ErrorObject[] {
  let left = errors.filter(({ keyword }) => keyword !== 'if');
  const choices = left
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .sort((one, other) => one.schemaPath.length - other.schemaPath.length);
  for (const choice of choices) {
    if (!left.includes(choice)) continue;
    const branches = branchesOf(choice, left);
    if (branches.length === 0) continue;
    const needless = new Set([choice, ...branches.flat()]);
    const meant = isPresence(branches) ? [presence(choice, branches)] : fewest(branches);
    left = [...left.filter((error) => !needless.has(error)), ...meant];
  }
  return left;
}

/** The errors of each alternative that has some. */
function branchesOf(choice: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[][] {
  const prefix = `${choice.schemaPath}/`;
  const branches = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    if (!error.schemaPath.startsWith(prefix)) continue;
    if (!error.instancePath.startsWith(choice.instancePath)) continue;
    const index = error.schemaPath.slice(prefix.length).split('/')[0] ?? '';
    branches.set(index, [...(branches.get(index) ?? []), error]);
  }
  return [...branches.values()];
}

function fewest(branches: readonly ErrorObject[][]): ErrorObject[] {
  return branches.reduce((best, branch) => (branch.length < best.length ? branch : best));
}

/** Whether the alternatives differ only in which field has to be there. */
function isPresence(branches: readonly ErrorObject[][]): boolean {
  const places = new Set(branches.flat().map(({ instancePath }) => instancePath));
  return places.size === 1 && branches.flat().every(({ keyword }) => keyword === 'required');
}

/** One error for all of them: one of these fields is needed. */
function presence(choice: ErrorObject, branches: readonly ErrorObject[][]): ErrorObject {
  const names = branches.map((branch) => branch.map(missing).join(' with '));
  const instancePath = branches[0]?.[0]?.instancePath ?? choice.instancePath;
  return { ...choice, instancePath, keyword: 'oneNeeded', params: { names: [...new Set(names)] } };
}

function missing(error: ErrorObject): string {
  const params: unknown = error.params;
  if (typeof params !== 'object' || params === null || !('missingProperty' in params)) return '';
  return String(params.missingProperty);
}
