/** How help is laid out. */
import { Help, type Argument, type Command } from 'commander';
import type { Example } from './declaration.js';
import { headings } from './declaration.js';
import { GlobalOption, globalTitle } from './program-options.js';

/** The end of the general help. */
export const rootExamples = `
Examples:
  svc --local chat "How do I keep costs down?"    try it offline, no account
  svc login                                       store a base URL and a key
  cat error.log | svc chat "why?"                 piped text comes first
  svc chat --json "hi" | jq .cost                 data on stdout, words on stderr
`;

/** What one can do comes before how: a screen shows the commands without scrolling. */
export function commandsFirst(command: Command, help: Help): string {
  const [usage = '', ...blocks] = new Help().formatHelp(command, help).trimEnd().split('\n\n');
  const titles = new Set(['Commands', 'Help', ...headings].map((title) => `${title}:`));
  const isCommands = (block: string) => titles.has(block.split('\n', 1)[0] ?? '');
  const isGlobal = (block: string) => block.startsWith(globalTitle);
  const firstList = blocks.findIndex((block) => /^\S+.*:\n /.test(block));
  const lists = blocks.slice(firstList);
  return [
    usage,
    ...blocks.slice(0, firstList),
    ...lists.filter(isCommands),
    ...lists.filter((block) => !isCommands(block) && !isGlobal(block)),
    ...lists.filter(isGlobal),
  ]
    .join('\n\n')
    .concat('\n');
}

/** `show [options] <id>`; what every command takes is not worth a word. */
export function termOf(command: Command): string {
  const hasOwn = command.options.some((option) => !(option instanceof GlobalOption));
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${wordOf(argument)}>` : `[${wordOf(argument)}]`,
  );
  return [command.name(), ...(hasOwn ? ['[options]'] : []), ...args].join(' ');
}

function wordOf(argument: Argument): string {
  return argument.variadic ? `${argument.name()}...` : argument.name();
}

/** The examples of a command, as they stand at the end of its help. */
export function exampleText(examples: readonly Example[]): string {
  const width = Math.max(...examples.map((example) => example.command.length));
  const lines = examples.map(({ command, note }) =>
    width > 52 ? `  # ${note}\n  ${command}` : `  ${command.padEnd(width)}    ${note}`,
  );
  return `\nExamples:\n${lines.join('\n')}\n`;
}
