/** Reads a command line with commander, whose tree has only what the words of the line may name. */
import { Command as Parser, Option as Flag } from 'commander';
import { bareOf, placeOf } from '../command.js';
import type { Argument, Command, Entry, LiveKind, Option } from '../command.js';
import type { KnownOption, Line } from '../command-line.js';
import { UsageError } from '../errors.js';
import { fullOption, helpOption, versionOption } from '../global-flags.js';
import { end, impliedBy, Joined, knownIn, mayMean, mistakeIn, Watch } from './flags.js';
import { meant } from './foreign-words.js';
import { topics } from './topics.js';
import { argumentFault, valueIn } from './values.js';

export function route(words: readonly string[], entries: readonly Entry[]): Line {
  const nothing = { options: [], operands: [], values: {}, globals: {} };
  const line: Line = { path: [], names: [], isHelp: words.length === 0, ...nothing };
  const root = new Level('svc', { path: [], below: [...entries, ...topics] }, line, words);
  try {
    root.open().parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (!line.isHelp) line.fault ??= error.message;
  }
  if (line.isLost) line.isHelp = false;
  if (line.isFull && !line.isHelp) line.refusal ??= 'unknown option --all';
  return line;
}

/** What a level of the tree stands for: svc itself, a group, a command or a topic. */
interface Place {
  readonly path: string[];
  /** Of a group, its bare verb. */
  readonly declaration?: Command | undefined;
  /** What may be named next. */
  readonly below: readonly (Entry | Command)[];
}

/** A level of commander's tree; what is below it is added when the line reaches it. */
class Level extends Parser {
  readonly #needsName: boolean;

  constructor(
    name: string,
    private readonly place: Place,
    private readonly line: Line,
    private readonly words: readonly string[],
  ) {
    super(name);
    this.#needsName = !place.declaration?.args && place.below.length > 0;
    this.helpOption(false).helpCommand(false).enablePositionalOptions();
    // The words after an unknown name, or after the name of a program, belong to it.
    const hasLine = place.declaration?.args?.some(({ isLine }) => isLine) === true;
    this.passThroughOptions(this.#needsName || hasLine).allowExcessArguments(
      this.#needsName || !place.declaration,
    );
    this.hook('preSubcommand', (_, level) => {
      if (level instanceof Level) level.open();
    });
    this.action(() => this.#end());
  }

  open(): this {
    const { line, place, words } = this;
    const { path, declaration, below } = place;
    Object.assign(line, { path, declaration, names: below.map(({ name }) => name) });
    if (this.name() === 'help') line.isHelp = true;
    const places = new Map(below.map((one) => [one.name, placeBelow(one, path)]));
    if (below.length > 0) places.set('help', place);
    for (const [name, to] of places) {
      if (words.includes(name)) this.addCommand(new Level(name, to, line, words));
    }
    const known = knownIn(place, words.some(asksForHelp));
    const watch = new Watch((word) => mistakeIn(word, known, declaration?.args !== undefined));
    this.addOption(watch.argParser(() => void (line.refusal ??= watch.mistake)));
    const dashed = words.filter((word) => word.startsWith('-'));
    for (const one of known) {
      const bare = bareOf(one.option);
      const value = one.option.type === 'switch' || bare !== undefined ? '' : ' <value>';
      for (const flag of one.flags.filter((flag) => dashed.some((word) => mayMean(word, flag)))) {
        const take = (typed = impliedBy(flag, bare)) => this.#take(one, flag, typed);
        if (bare !== undefined && flag === one.long) this.addOption(new Joined(flag, take));
        this.addOption(new Flag(flag + value).argParser(take));
      }
    }
    for (const one of declaration?.args ?? []) this.argument(placeOf(one));
    return this;
  }

  override parseOptions(words: string[]) {
    const { operands, unknown } = super.parseOptions([...words, end]);
    const isName = this.commands.some((level) => level.name() === operands[0]);
    if (isName && unknown.at(-1) === end) return { operands, unknown: unknown.slice(0, -1) };
    // Commander keeps what follows text such as `-5 °C` apart.
    const dashes = this.#needsName ? -1 : unknown.indexOf('--');
    const all = [...operands, ...unknown.filter((_, index) => index !== dashes)];
    if (all.at(-1) === end) {
      all.pop();
      this.line.isOver = !this.#needsName || words.at(-1 - all.length) === '--';
      if (!this.#needsName) this.#close();
    }
    const leftOut = this.#leftOut(all);
    return { operands: leftOut === undefined ? all : [leftOut, ...all], unknown: [] };
  }

  /** The first argument, where an option of its name or what it is by itself stands for it. */
  #leftOut([word = '', ...more]: readonly string[]): string | undefined {
    const { args: [first, second] = [] } = this.place.declaration ?? {};
    const given = first && this.line.values[first.name];
    if (typeof given === 'string' && !first?.many) return given;
    const isSecond = second?.required && more.length === 0 && /[^a-z]/i.test(word);
    return isSecond ? first?.default : undefined;
  }

  /** Commander checks the number of arguments; the words are ours. */
  override error(): never {
    const { args, line, place, registeredArguments: declared } = this;
    line.operands = args;
    const fault = argumentFault(place.declaration?.args, args);
    if (fault !== undefined) throw new UsageError(fault);
    const at = declared.findIndex((one, at) => at >= args.length && one.required);
    const missing = declared[at]?.name();
    if (line.refusal === undefined) line.missing = liveKindOf(place.declaration?.args?.[at]);
    const refusal = missing
      ? `${['svc', ...line.path].join(' ')}: missing argument <${missing}>`
      : `too many arguments: ${JSON.stringify(args[declared.length])}`;
    throw new UsageError(refusal);
  }

  #take(known: KnownOption, text: string, value?: string): void {
    const { line } = this;
    const { name, option, isGlobal, long } = known;
    if (!isGlobal) this.#close();
    if (option === helpOption.help) line.isHelp = true;
    else if (option === fullOption.all) line.isFull = true;
    else if (option === versionOption.version) line.isVersion = true;
    else if (value === end && option.type !== 'switch') {
      line.options.push({ ...known, text });
      if (line.refusal === undefined) line.missing = liveKindOf(option);
      line.refusal ??= `missing value: ${long} <${option.value}>`;
    } else {
      const typed = { ...known, text, value };
      line.options.push(typed);
      const values = isGlobal ? line.globals : line.values;
      values[name] = valueIn(typed, values[name], (fault) => {
        line.fault ??= fault;
        if (isGlobal) line.globalFault ??= fault;
      });
    }
  }

  /** The options of a group, and its operands, belong to its bare verb: no other can follow. */
  #close(): void {
    if (!this.place.declaration) return;
    this.line.names = [];
    for (const level of this.commands) level.name('');
  }

  #end(): void {
    const { args, line } = this;
    const { names, options, path, refusal, isHelp, isOver, isVersion } = line;
    const [name, ...after] = args;
    line.operands = args;
    if (name === undefined) return;
    line.names = [];
    if (!this.#needsName) return;
    const isFirst = refusal === undefined && !isHelp && !isOver && !isVersion;
    if (isFirst && path.length === 0) line.unknown = { name, before: options, after };
    const kind = path.length === 0 ? 'command' : 'verb';
    line.refusal ??= this.place.below.some((one) => one.name === name)
      ? `the verb ${name} stands before its options`
      : `unknown ${kind} ${JSON.stringify(name)}${meant(name, names)}`;
    line.isLost = true;
  }
}

function placeBelow(one: Entry | Command, path: readonly string[]): Place {
  const to = { path: [...path, one.name], below: [] };
  if ('commands' in one) return { ...to, declaration: one.bare, below: one.commands };
  return topics.some((topic) => topic === one) ? to : { ...to, declaration: one };
}

const asksForHelp = (word: string) => ['help', '--help', '-h'].includes(word);

/** What a person could choose it among, where it is left out. */
function liveKindOf(part: Argument | Option | undefined): LiveKind | undefined {
  const completes = part && 'completes' in part ? part.completes : undefined;
  if (typeof completes !== 'string' || completes === 'file' || completes === 'directory')
    return undefined;
  return completes === 'option' ? undefined : completes;
}
