/** The command reference in Markdown, made from the declarations. */
import { headings, exampleParts, flagsOf, placeOf } from '../../src/command.js';
import type { Argument, Entry, Option, Options } from '../../src/command.js';
import { variables } from '../../src/cli/topics.js';
import { errorList } from '../../src/error-codes.js';
import { exits } from '../../src/exit-codes.js';
import { globalOptions } from '../../src/global-flags.js';
import { aboutOf, usageOf } from '../../src/cli/help.js';
import { commandsIn, type PlacedCommand } from '../../src/cli/map.js';

/** The page docs/reference.md. */
export function referencePage(entries: readonly Entry[]): string {
  const commands = commandsIn(entries);
  return blocks([
    '<!-- Made from the declarations by `npm run generate`; changes here are lost. -->',
    '# Command reference',
    overview(commands),
    ...commands.flatMap((command) => [`## svc ${command.path}`, ...commandBlocks(command)]),
    ...commonBlocks(),
  ]);
}

/** The section of the README: where to find each command, and what a script needs to know. */
export function referenceSection(entries: readonly Entry[]): string {
  const page = 'docs/reference.md';
  const lines = headings.map((heading) => {
    const names = entries.filter((entry) => entry.heading === heading).map(({ name }) => name);
    const words = names.map((name) => `\`${name}\``).join(', ');
    return `- [${heading}](${page}#${heading.toLowerCase()}): ${words}`;
  });
  const common = `- [Options of every command](${page}#options-of-every-command), error codes and variables`;
  return blocks([[...lines, common].join('\n'), '### Exit codes', exitCodeTable()]);
}

/** `**--format FORMAT**` and the like, with its choices and default. */
export function optionLine(name: string, option: Option): string {
  const flags = flagsOf(name, option).replace(/<(.*)>$/, '$1');
  // A pattern such as gpt-* is no emphasis.
  return `- \`${flags}\`: ${meaningOf(option).replaceAll('*', '\\*')}`;
}

/** Options by the heading they are shown under; the first group has none. */
export function optionGroups(
  options: Options,
  lineOf = optionLine,
): (readonly [heading: string, lines: string[]])[] {
  const groups = new Map<string, string[]>([['', []]]);
  for (const [name, option] of Object.entries(options)) {
    const heading = option.heading ?? '';
    groups.set(heading, [...(groups.get(heading) ?? []), lineOf(name, option)]);
  }
  return [...groups].filter(([, lines]) => lines.length > 0);
}

function overview(commands: readonly PlacedCommand[]): string {
  return blocks(
    headings.flatMap((heading) => {
      const own = commands.filter((command) => command.heading === heading);
      const lines = own.map(
        ({ path, command }) =>
          `- [\`svc ${path}\`](#svc-${path.replaceAll(' ', '-')}): ${command.summary}`,
      );
      return own.length > 0 ? [`### ${heading}`, lines.join('\n')] : [];
    }),
  );
}

function commandBlocks(placed: PlacedCommand): string[] {
  const { args = [], options = {}, examples = [] } = placed.command;
  const argumentLines = args.map((one) => `- \`${placeOf(one)}\`: ${meaningOf(one)}`);
  return [
    aboutOf(placed.command),
    fence('text', [`svc ${usageOf(placed.path, placed.command)}`]),
    ...(args.length > 0 ? ['Arguments:', argumentLines.join('\n')] : []),
    ...optionGroups(options).flatMap(([heading, lines]) => [
      heading === '' ? 'Options:' : `${heading}:`,
      lines.join('\n'),
    ]),
    ...(examples.length > 0
      ? [
          fence(
            'sh',
            examples.map(exampleParts).map(([command, note]) => `# ${note}\n${command}`),
          ),
        ]
      : []),
  ];
}

function commonBlocks(): string[] {
  return [
    '## Options of every command',
    ...optionGroups(globalOptions).flatMap(([heading, lines]) => [`${heading}:`, lines.join('\n')]),
    '## Exit codes',
    exitCodeTable(),
    '## Error codes',
    'A command that has done part of its work ends with 12 and keeps the code of what stopped it.',
    table(
      ['Code', 'Exit', 'Meaning', 'Next'],
      errorList().map(({ code, exits, meaning, next }) => {
        return [`\`${code}\``, exits.join(', '), meaning, next];
      }),
    ),
    '## Environment variables',
    table(
      ['Variable', 'Meaning'],
      variables.map(([name, summary]) => [`\`${name}\``, summary]),
    ),
  ];
}

function exitCodeTable(): string {
  return table(
    ['Code', 'Meaning'],
    Object.values(exits).map(([code, meaning]) => [String(code), meaning]),
  );
}

/** What an argument or option means, with its choices and default. */
export function meaningOf(declared: Argument | Option): string {
  const choices = 'choices' in declared ? declared.choices : undefined;
  const fallback = 'default' in declared ? declared.default : undefined;
  return [
    declared.summary,
    ...(choices ? [`one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
    ...(fallback === undefined ? [] : [`default \`${fallback}\``]),
  ].join('; ');
}

function fence(language: string, lines: readonly string[]): string {
  return ['```' + language, ...lines, '```'].join('\n');
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function blocks(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
