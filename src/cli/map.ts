/** What `svc help --json` prints: the declarations and the rows they reach, as data for programs. */
import type { Endpoint } from '../contract/endpoint.js';
import { exampleParts, headings, longFlag } from '../command.js';
import type { Command, Entry, Option, Options } from '../command.js';
import { errorList } from '../error-codes.js';
import { exits } from '../exit-codes.js';
import { globalOptions, helpOption } from '../global-flags.js';
import { usageOf } from './help.js';
import type { CommandMap, MapCommand, MapOption } from '../command-map.js';
import { type TopicName, topics, variables } from './topics.js';

export interface PlacedCommand {
  /** `config get`. */
  readonly path: string;
  readonly heading: string;
  readonly command: Command;
}

/** Every command that can be typed, in the order of the help. */
export function commandsIn(entries: readonly Entry[]): PlacedCommand[] {
  return headings.flatMap((heading) =>
    entries
      .filter((entry) => entry.heading === heading)
      .flatMap((entry) =>
        'commands' in entry
          ? entry.commands.map((command) => {
              return { path: `${entry.name} ${command.name}`, heading, command };
            })
          : [{ path: entry.name, heading, command: entry }],
      ),
  );
}

/**
 * @param path the names of a command, a group or a topic; none of them for all there is.
 * @param version of svc
 */
export async function mapOf(
  path: readonly string[],
  entries: readonly Entry[],
  version: string,
): Promise<CommandMap> {
  const topic = topics.find(({ name }) => name === path[0]);
  if (topic) return { version, ...topicParts[topic.name]() };
  const { endpoints } = await import('../contract/index.js');
  const { fieldsOf } = await import('../commands/results.js');
  const rows = new Map<string, Endpoint>(endpoints.map((row) => [row.id, row]));
  const start = path.join(' ');
  const commands = commandsIn(entries)
    .filter(({ path: own }) => `${own} `.startsWith(start === '' ? '' : `${start} `))
    .map((placed) => commandPart(placed, rows, fieldsOf(placed.path, placed.command)));
  if (start !== '') return { version, commands };
  const parts = topics.map(({ name }) => topicParts[name]());
  return parts.reduce<CommandMap>((map, part) => ({ ...map, ...part }), { version, commands });
}

const topicParts: Readonly<Record<TopicName, () => Omit<CommandMap, 'version'>>> = {
  options: () => ({ options: optionsIn({ ...globalOptions, ...helpOption }) }),
  'exit-codes': () => {
    const rows = Object.entries(exits);
    return { exitCodes: rows.map(([name, [code, meaning]]) => ({ code, name, meaning })) };
  },
  errors: () => ({ errors: errorList() }),
  environment: () => ({ environment: variables.map(([name, meaning]) => ({ name, meaning })) }),
};

function commandPart(
  { path, heading, command }: PlacedCommand,
  rows: ReadonlyMap<string, Endpoint>,
  fields: MapCommand['fields'],
): MapCommand {
  const { args = [], conflicts = [], endpoints = [], examples = [], needs = [] } = command;
  const calls = endpoints
    .flatMap((id) => rows.get(id) ?? [])
    .map(({ id, summary, paid, retry }) => ({ id, summary, charges: paid !== undefined, retry }));
  const combination = ([option, ...others]: readonly [string, ...string[]]) => ({ option, others });
  return {
    path,
    heading,
    summary: command.summary,
    description: command.description,
    deprecated: command.deprecated === true,
    usage: `svc ${usageOf(path, command)}`,
    arguments: args.map(({ name, summary, required = false, many = false, choices }) => {
      return { name, summary, required, many, choices: choices && [...choices] };
    }),
    options: optionsIn(command.options ?? {}),
    columns: command.columns && [...command.columns],
    fields,
    conflicts: conflicts.map(combination),
    needs: needs.map(combination),
    charges: command.mayCharge === true || calls.some(({ charges }) => charges),
    calls,
    examples: examples.map(exampleParts).map(([line, purpose]) => ({ command: line, purpose })),
  };
}

function optionsIn(options: Options): MapOption[] {
  return Object.entries<Option>(options).map(([name, option]) => {
    const { default: fallback, short, summary, type } = option;
    const flags = { flag: longFlag(name, option), short: short && `-${short}` };
    const shared = { ...flags, type, summary, default: fallback, many: false };
    if (option.type === 'switch') return shared;
    const { value } = option;
    if (option.type !== 'text') {
      const { bare, min, max } = option;
      return { ...shared, value, bare, min, max };
    }
    const { choices, many = false } = option;
    return { ...shared, value, many, choices: choices && [...choices] };
  });
}
