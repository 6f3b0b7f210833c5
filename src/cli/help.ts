/** What --help prints, from the declarations; loaded when it is asked for. */
import { hanging, type Style, wrapWords } from '../terminal/screen.js';
import { exampleParts, flagsOf, headings, placeOf } from '../command.js';
import type { Argument, Command, Entry, Group, HelpTitle, Option, Options } from '../command.js';
import { errorList } from '../error-codes.js';
import { exitNames, exits } from '../exit-codes.js';
import type { ErrorTexts } from '../texts/errors.js';
import type { HelpTexts, Texts } from '../texts/texts.js';
import { globalOptions, helpOption, versionOption } from '../global-flags.js';
import { type Definition, type TopicName, topics, variables } from './topics.js';

export type Block = readonly [title: HelpTitle | '', rows: readonly Definition[]];
type Example = readonly [command: string, note: string];

interface Page {
  /** What follows `svc`. */
  readonly usage?: string;
  readonly about: string;
  readonly examples?: readonly Example[];
  readonly blocks: readonly Block[];
  readonly footer?: string;
}

/** What is explained, and how much of it is listed. */
export interface HelpSubject {
  /** The names of a command, a group or a topic; none of them for svc itself. */
  readonly path: readonly string[];
  /** Nothing is left out. */
  readonly isFull?: boolean | undefined;
  /** What else the user can type after svc. */
  readonly own?: readonly Block[];
  /** In the language of the reader. */
  readonly texts: Pick<Texts, 'errors' | 'help'>;
}

export function helpText(
  { path: [name, verb], isFull = false, own = [], texts: { errors, help: texts } }: HelpSubject,
  entries: readonly Entry[],
  width: number,
  style: Style,
): string {
  const pageOf = (): Page => {
    const entry = entries.find((one) => one.name === name);
    const topic = topics.find((one) => one.name === name);
    if (topic) {
      const about = errors.about(topic.name) ?? sentence(topic.summary);
      return { about, blocks: topicBlocks[topic.name](errors) };
    }
    if (!entry) return { ...rootPage(entries, isFull, own), footer: texts.rootFooter(isFull) };
    if (!('commands' in entry)) return commandPage(entry.name, entry, isFull, texts);
    const command = entry.commands.find((one) => one.name === verb);
    if (!command) return groupPage(entry, texts);
    return commandPage(`${entry.name} ${command.name}`, command, isFull, texts);
  };
  return drawn(pageOf(), texts, width, style);
}

const topicBlocks: Readonly<Record<TopicName, (texts: ErrorTexts) => readonly Block[]>> = {
  options: () => optionBlocks({ ...globalOptions, ...helpOption }),
  'exit-codes': (texts) => [['', exitNames.map((name) => [`${exits[name][0]}`, texts.exit(name)])]],
  errors: (texts) => {
    const rows = errorList().map(({ code, exits }): Definition => {
      const { meaning, next } = texts.words(code);
      return [code, `${texts.exitCodes(exits)}: ${meaning}; ${next}`];
    });
    return [['', rows]];
  },
  environment: () => [['', variables]],
};

const rootExamples: readonly Example[] = [
  ['svc --local chat "How do I keep costs down?"', 'try it: offline, no account'],
  ['svc init', 'log in and choose models'],
  ['cat error.log | svc chat "why?"', 'ask about piped text'],
];

function rootPage(entries: readonly Entry[], isFull: boolean, own: readonly Block[]): Page {
  const listed = entries.filter(({ isMore }) => isFull || !isMore);
  const commands = headings.map((heading): Block => {
    const under = listed.filter((entry) => entry.heading === heading);
    return [heading, under.map(({ name, summary }) => [name, summary])];
  });
  const names: Block = ['Topics', topics.map(({ name, summary }) => [name, summary])];
  const options = { json: globalOptions.json, ...helpOption, ...versionOption };
  return {
    usage: '<command> [options]',
    about: 'Language models, media, search and support from the command line.',
    examples: rootExamples,
    blocks: isFull ? [...commands, ...own, names, ['Options', optionRows(options)]] : commands,
  };
}

function groupPage({ name, summary, commands, bare }: Group, texts: HelpTexts): Page {
  const verbs = (isMore?: true) =>
    commands
      .filter((one) => one.isMore === isMore)
      .map(({ name: verb, summary: meaning, args = [] }): Definition => {
        return [[verb, ...args.map(placeOf)].join(' '), meaning];
      });
  const examples = commands.flatMap((one) => one.examples?.slice(0, 1) ?? []).slice(0, 2);
  return {
    usage: bare?.args ? usageOf(name, bare) : `${name} ${bare ? '[verb]' : '<verb>'} [options]`,
    about: sentence(summary),
    examples: examples.map(exampleParts),
    blocks: [
      ['Verbs', verbs()],
      ['More', verbs(true)],
      ...optionBlocks((bare?.args && bare.options) ?? {}),
    ],
    footer: texts.groupFooter(name, bare !== undefined),
  };
}

/** More options than this are listed only when all are asked for, and more examples then too. */
const few = { options: 15, examples: 6 };

function commandPage(path: string, command: Command, isFull: boolean, texts: HelpTexts): Page {
  const { args = [], examples = [], options = {} } = command;
  const everyday = Object.entries(options).filter(([, { heading }]) => heading === undefined);
  const count = Object.keys(options).length;
  const isShort = !isFull && count > few.options && everyday.length > 0;
  const more = isShort ? `${texts.moreOptions(path, count)}\n` : '';
  return {
    usage: usageOf(path, command),
    about: aboutOf(command),
    examples: examples.slice(0, isShort ? few.examples : undefined).map(exampleParts),
    blocks: [
      ['Arguments', args.map((one) => [one.name, meaningOf(one)])],
      ...optionBlocks(isShort ? Object.fromEntries(everyday) : options),
    ],
    footer: `${more}${texts.commandFooter}`,
  };
}

/** `chat [options] [prompt...]` */
export function usageOf(path: string, { args = [], options }: Command): string {
  return [path, ...(options ? ['[options]'] : []), ...args.map(placeOf)].join(' ');
}

export function aboutOf({ columns, description, summary }: Command): string {
  const about = description ?? sentence(summary);
  if (!columns) return about;
  return `${about}\nA pipe gets tab-separated lines: ${columns.join(', ')}.`;
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** Options under their headings. */
export function optionBlocks(options: Options): Block[] {
  const blocks = new Map<HelpTitle, Options>();
  for (const [name, option] of Object.entries(options)) {
    const title = option.heading ?? 'Options';
    blocks.set(title, { ...blocks.get(title), [name]: option });
  }
  return Array.from(blocks, ([title, own]) => [title, optionRows(own)]);
}

function optionRows(options: Options): Definition[] {
  return Object.entries(options).map(([name, option]) => [
    // Those with a letter of their own stand to the left of the others.
    option.short ? flagsOf(name, option) : `    ${flagsOf(name, option)}`,
    meaningOf(option),
  ]);
}

function meaningOf(declared: Option | Argument): string {
  const choices = 'choices' in declared ? declared.choices : undefined;
  const fallback = 'default' in declared ? declared.default : undefined;
  const more = [
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return more.length === 0 ? declared.summary : `${declared.summary} (${more.join('; ')})`;
}

function drawn(page: Page, texts: HelpTexts, width: number, style: Style): string {
  const { usage, about, examples = [], blocks, footer } = page;
  const shown = blocks.filter(([, rows]) => rows.length > 0);
  const term = Math.max(...shown.flatMap(([, rows]) => rows.map(([one]) => one.length)));
  const bold = (one: HelpTitle) => style('bold', `${texts.title(one)}:`);
  const title = (one: HelpTitle | '') => (one === '' ? [] : [bold(one)]);
  const indent = texts.title('Usage').length + 2;
  const parts = [
    usage ? [`${bold('Usage')} ${hanging(`svc ${usage}`, width, indent)}`] : [],
    about.split('\n').flatMap((line) => wrapWords(line, width)),
    examples.length > 0 ? [...title('Examples'), ...exampleLines(examples, width, style)] : [],
    ...shown.map(([heading, rows]) => [
      ...title(heading),
      ...rows.map((row) => rowText(row, term, width)),
    ]),
    footer === undefined ? [] : footer.split('\n').flatMap((line) => wrapWords(line, width)),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** Narrower meanings than this stand below their terms. */
const leastMeaning = 20;

function rowText([term, meaning]: Definition, termWidth: number, width: number): string {
  const at = termWidth + 4;
  const isBeside = width - at >= leastMeaning;
  const start = isBeside ? term.padEnd(termWidth + 2) : `${term}\n${' '.repeat(10)}`;
  return `  ${start}${hanging(meaning, width, isBeside ? at : 10)}`;
}

/** Notes stand to the right of commands, or above them where a line would be too long. */
function exampleLines(examples: readonly Example[], width: number, style: Style): string[] {
  const longest = Math.max(...examples.map(([command]) => command.length));
  const fit = examples.every(([, note]) => longest + note.length + 5 <= width);
  return examples.flatMap(([command, note]) =>
    fit
      ? [`  ${command.padEnd(longest)}   ${style('dim', note)}`]
      : [
          ...wrapWords(note, width - 4).map((line) => style('dim', `  # ${line}`)),
          ...continued(command, width),
        ],
  );
}

/** A command line that can be copied, continued between its words with backslashes. */
function continued(command: string, width: number): string[] {
  const lines: string[] = [];
  let current = ' ';
  for (const word of command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []) {
    const isFull = current.length + word.length + 3 > width && current.trim() !== '';
    if (isFull) lines.push(`${current} \\`);
    current = isFull ? `      ${word}` : `${current} ${word}`;
  }
  return [...lines, current];
}
