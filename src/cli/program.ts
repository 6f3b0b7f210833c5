/** What a command line asks for. */
import type { Line, ParsedLine } from '../command-line.js';
import type { Command, Entry } from '../command.js';
import { route } from './route.js';
import { argumentFault } from './values.js';

export function parseLine(words: readonly string[], entries: readonly Entry[]): ParsedLine {
  const line = route(words, entries);
  const { declaration, isHelp, names, operands, path, refusal } = line;
  const isTopic = !declaration && names.length === 0;
  const isExplained = operands.length > 0 && declaration?.explainsOperand;
  if (isHelp && !isTopic && !isExplained) return { ...line, refusal: undefined };
  if (refusal !== undefined) return line;
  if (declaration) {
    const { fault: refusal = isHelp ? undefined : faultIn(line, declaration) } = line;
    if (refusal !== undefined) return { ...line, refusal };
    const args: Record<string, unknown> = {};
    for (const [index, { name, many }] of (declaration.args ?? []).entries()) {
      args[name] = many ? operands.slice(index) : operands[index];
    }
    const options: Record<string, unknown> = {};
    for (const [name, option] of Object.entries(declaration.options ?? {})) {
      if (option.type === 'text' && option.many) options[name] = [];
      if (option.type === 'switch' && option.negated) options[name] = true;
    }
    Object.assign(options, line.values);
    const invocation = { path, declaration, isHelp, args, options, globals: line.globals };
    // Several jobs, or --all: a person can choose one.
    const [first] = declaration.args ?? [];
    const lacksJob = first?.completes === 'job' && operands.length === 0 && !line.values['all'];
    return { ...line, invocation, missing: lacksJob ? 'job' : undefined };
  }
  // Help is shown on a topic, on a group that cannot list, and beside the error of svc alone.
  return { ...line, isHelp: true, ...(path.length === 0 && { refusal: 'svc needs a command' }) };
}

/** What is none of the choices, or cannot be given together or alone, in a sentence. */
function faultIn({ operands, options }: Line, declaration: Command): string | undefined {
  const { args, conflicts = [], needs = [] } = declaration;
  const fault = argumentFault(args, operands);
  if (fault !== undefined) return fault;
  const flags = new Set(
    options.flatMap(({ long, option, value = '' }) =>
      [long, `-${option.short ?? ''}`].flatMap((flag) => [flag, `${flag} ${value}`]),
    ),
  );
  // What filters JSON prints JSON.
  const impliedBy = (flag: string) => (flag === '--json' ? [flag, '--jq', '--fields'] : [flag]);
  const rows = conflicts.flatMap(([one, ...others]) =>
    impliedBy(one).map((flag) => [flag, ...others.flatMap(impliedBy)] as const),
  );
  for (const [one, ...others] of rows) {
    const other = flags.has(one) && others.find((flag) => flags.has(flag));
    if (other) return `${one} and ${other} cannot be used together`;
  }
  const lacking = needs.find(
    ([one, ...others]) => flags.has(one) && !others.some((flag) => flags.has(flag)),
  );
  if (!lacking) return undefined;
  const [one, ...others] = lacking;
  return `${one} needs ${others.join(', ').replace(/, ([^,]*)$/, ' or $1')}`;
}
