/** What any shell must know of svc to complete its command line. */
import {
  type Argument,
  type Command,
  type Entry,
  type Option,
  type Options,
  longFlag,
  summaryOf,
} from '../cli/declaration.js';
import { globalOptions } from '../cli/globals.js';
import { topics } from '../cli/topics.js';

/** What may stand somewhere: words of a list, what their names say, or anything at all. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' | 'directory' | 'model' | 'nothing' };

export interface Flag {
  /** `-m` and `--model`; the long one comes last. */
  readonly spellings: readonly string[];
  readonly summary: string;
  /** Absent for a switch. */
  readonly value?: { readonly word: string; readonly offer: Offer };
  /** May be given several times. */
  readonly repeats: boolean;
}

export interface Operand {
  readonly name: string;
  readonly required: boolean;
  /** It and all that follow. */
  readonly many: boolean;
  readonly offer: Offer;
}

/** A command: with `children` it must be followed by one of them, without it takes operands. */
export interface Node {
  readonly name: string;
  /** The words from `svc` to here, without `svc`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** Its own; the global ones go everywhere. */
  readonly flags: readonly Flag[];
  readonly operands: readonly Operand[];
  readonly children: readonly Node[];
}

export interface Tree {
  /** Its own flags hold only before any command. */
  readonly root: Node;
  readonly globals: readonly Flag[];
  /** What to offer for a model when `--local` is on the line; other models only a call could tell. */
  readonly localModels: readonly string[];
}

/** The tree of all that `entries` declare, hidden options left out. */
export function treeOf(entries: readonly Entry[], localModels: readonly string[]): Tree {
  const commands = entries.map(entryNode);
  return {
    root: {
      name: 'svc',
      path: [],
      summary: '',
      flags: [switchFlag(['-V', '--version'], 'print the version')],
      operands: [],
      children: [...commands, ...topicNodes(), helpNode(commands)],
    },
    globals: [...flagsIn(globalOptions), switchFlag(['-h', '--help'], 'show help')],
    localModels,
  };
}

/** A node and all below it, parents first. */
export function nodesOf(node: Node): Node[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

function entryNode(entry: Entry): Node {
  if (!('commands' in entry)) return commandNode(entry, []);
  const { name, summary } = entry;
  const children = entry.commands.map((verb) => commandNode(verb, [name]));
  return { ...bareNode(name, summary), children };
}

function commandNode(command: Command, above: readonly string[]): Node {
  return {
    ...bareNode(command.name, command.summary),
    path: [...above, command.name],
    flags: flagsIn(command.options ?? {}),
    operands: (command.args ?? []).map(operandOf),
  };
}

function topicNodes(): Node[] {
  return topics.map(({ name, summary }) => bareNode(name, summary));
}

function helpNode(commands: readonly Node[]): Node {
  const words = [...commands, ...topicNodes()].map(({ name }) => name);
  const operand = { name: 'command', required: false, many: false };
  return {
    ...bareNode('help', 'show help for a command or a topic'),
    operands: [{ ...operand, offer: { kind: 'words', words } }],
  };
}

function bareNode(name: string, summary: string): Node {
  return { name, path: [name], summary, flags: [], operands: [], children: [] };
}

function flagsIn(options: Options): Flag[] {
  return Object.entries(options).flatMap(([name, option]) =>
    option.hidden ? [] : [flagOf(name, option)],
  );
}

function flagOf(name: string, option: Option): Flag {
  const long = longFlag(name, option);
  const spellings = option.short ? [`-${option.short}`, long] : [long];
  const summary = summaryOf(option);
  if (option.type === 'switch') return switchFlag(spellings, summary);
  const offer = option.type === 'text' ? offerOf(option) : ({ kind: 'nothing' } as const);
  const repeats = option.type === 'text' && option.many === true;
  return { spellings, summary, value: { word: option.value, offer }, repeats };
}

function switchFlag(spellings: readonly string[], summary: string): Flag {
  return { spellings, summary, repeats: false };
}

function operandOf(argument: Argument): Operand {
  const { name, required = false, many = false } = argument;
  return { name, required, many, offer: offerOf(argument) };
}

function offerOf({ choices, completes }: Pick<Argument, 'choices' | 'completes'>): Offer {
  if (choices) return { kind: 'words', words: choices };
  if (typeof completes === 'object') return { kind: 'words', words: completes };
  return { kind: completes ?? 'nothing' };
}
