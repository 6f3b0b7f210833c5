/** Options that exclude or need each other, as a declaration says. */
import { UsageError } from '../errors.js';
import { kebabCase } from '../lib/names.js';
import type { Command, Option } from './declaration.js';
import { globalOptions } from './globals.js';
import type { Invocation } from './program.js';

/** @throws UsageError for the first combination that makes no sense. */
export function assertCombinations(invocation: Invocation): void {
  const { conflicts = [], needs = [] } = invocation.declaration;
  const isGiven = (typed: string) => isTyped(invocation, typed);
  const problems = [
    ...conflicts.map(([one, ...others]) => {
      const other = isGiven(one) ? others.find(isGiven) : undefined;
      return other && `${one} and ${other} cannot go together`;
    }),
    ...needs.map(([one, ...others]) =>
      isGiven(one) && !others.some(isGiven) ? `${one} needs ${others.join(' or ')}` : undefined,
    ),
  ];
  const problem = problems.find((found) => found !== undefined);
  if (problem === undefined) return;
  const hint = ['svc', ...invocation.path, '--help'].join(' ');
  throw new UsageError(problem, { code: 'usage', hint });
}

/** Whether the line gives an option; `typed` is `--name`, `-n`, or either with its value. */
function isTyped({ declaration, options, globals }: Invocation, typed: string): boolean {
  const [flag = '', wanted] = typed.split(' ');
  const name = optionNamed(flag, declaration.options) ?? optionNamed(flag, globalOptions);
  if (name === undefined) throw new Error(`${declaration.name} declares no ${flag}`);
  const value = options[name] ?? globals[name];
  if (wanted !== undefined)
    return value === wanted || (Array.isArray(value) && value.includes(wanted));
  if (flag.startsWith('--no-')) return value === false;
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

function optionNamed(flag: string, declared: Command['options'] = {}): string | undefined {
  const entries = Object.entries<Option>(declared);
  return entries.find(([name, option]) =>
    flag.startsWith('--')
      ? flag.replace(/^--(no-)?/, '') === kebabCase(name)
      : flag === `-${option.short ?? ''}`,
  )?.[0];
}
