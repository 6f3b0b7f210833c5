/** The man pages, made from the declarations: svc(1), and one for each command. */
import { exampleParts, flagsOf, headings, type Option } from '../../src/command.js';
import { exits } from '../../src/exit-codes.js';
import { globalOptions, helpOption, versionOption } from '../../src/global-flags.js';
import { aboutOf, usageOf } from '../../src/cli/help.js';
import { commandsIn, type PlacedCommand } from '../../src/cli/map.js';
import { variables, type Definition } from '../../src/cli/topics.js';
import { entries } from '../../src/commands/index.js';
import { meaningOf, optionGroups } from '../generate/reference.js';

type Section = readonly [title: string, text: string];

interface Release {
  readonly version: string;
  /** `2026-12-31` */
  readonly date: string;
  /** What svc is. */
  readonly summary: string;
  /** The same in a sentence. */
  readonly description: string;
}

/** The text of each page by its file name. */
export function manPages(
  { version, date, summary, description }: Release,
  declared = entries,
): Readonly<Record<string, string>> {
  const commands = commandsIn(declared);
  const page = (path: string, about: string, sections: readonly Section[]) => {
    const name = plain(pageName(path));
    const text = [
      `.TH ${name.toUpperCase()} 1 ${date} "svc ${plain(version)}" "Manual of svc"`,
      // Words stay whole, for what is copied.
      '.nh\n.ad l',
      `.SH NAME\n${name} \\- ${inline(about)}`,
      ...sections.filter(([, own]) => own !== '').map(([title, own]) => `.SH ${title}\n${own}`),
    ];
    return [`${pageName(path)}.1`, `${text.join('\n')}\n`] as const;
  };
  return Object.fromEntries([
    page('', summary, mainSections(commands, description)),
    ...commands.map((placed) =>
      page(placed.path, placed.command.summary, sectionsOf(placed, commands)),
    ),
  ]);
}

/** The usual places on Linux. */
const files: readonly Definition[] = [
  [
    '~/.config/svc/config.json',
    'the settings and profiles, with the key where it is not elsewhere',
  ],
  ['~/.local/share/svc/', 'state.db with what was paid for and the log of conversations'],
  ['~/.cache/svc/', 'what may be deleted at any time'],
];
const proxies = 'A proxy is http://, https://, socks4:// or socks5://, then HOST:PORT.';
const otherPlaces =
  'SVC_CONFIG_DIR, XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_CACHE_HOME move them; `svc config path` and `svc doctor` print them.';

function mainSections(commands: readonly PlacedCommand[], description: string): Section[] {
  return [
    ['SYNOPSIS', `${bold('svc')} \\fIcommand\\fR [\\fIoptions\\fR]`],
    [
      'DESCRIPTION',
      inline(
        `svc is ${description.replace(/^The /, 'the ')} Each command has a page: \`man svc-chat\`, \`man svc-jobs-list\`.`,
      ),
    ],
    ...headings.map((heading): Section => {
      const own = commands.filter((placed) => placed.heading === heading);
      const terms = own.map(({ path, command }) => [`svc ${path}`, command.summary] as const);
      return [`${heading.toUpperCase()} COMMANDS`, termsText(terms)];
    }),
    ['OPTIONS', optionText({ ...globalOptions, ...helpOption, ...versionOption })],
    ['EXIT STATUS', termsText(Object.values(exits))],
    ['ENVIRONMENT', `${termsText(variables)}\n.PP\n${inline(proxies)}`],
    ['FILES', `${termsText(files)}\n.PP\n${inline(otherPlaces)}`],
    ['SEE ALSO', references(commands)],
  ];
}

function sectionsOf(
  { path, heading, command }: PlacedCommand,
  commands: readonly PlacedCommand[],
): Section[] {
  const { args = [], examples = [], options = {} } = command;
  const words = plain(usageOf('', command))
    .replace(/<([^>]+)>/g, String.raw`\fI$1\fR`)
    .replace(/\[([^\].]+)/g, String.raw`[\fI$1\fR`);
  const shown = examples.map(exampleParts).map(([line, note]) => {
    return [inline(`${note}:`), '.RS 4', '.EX', plain(line), '.EE', '.RE'].join('\n');
  });
  const isNamed = (other: string) => JSON.stringify(command).includes(`svc ${other}\``);
  const isSingle = !path.includes(' ');
  const isBeside = (other: PlacedCommand) =>
    other.path.startsWith(`${path.split(' ')[0] ?? ''} `) ||
    (isSingle && !other.path.includes(' ') && other.heading === heading);
  const related = commands.filter((one) => isNamed(one.path) || isBeside(one));
  return [
    ['SYNOPSIS', bold(`svc ${path}`) + words],
    ['DESCRIPTION', inline(aboutOf(command))],
    ['ARGUMENTS', termsText(args.map((one) => [one.name, meaningOf(one)]))],
    ['OPTIONS', optionText(options)],
    ['EXAMPLES', shown.join('\n.PP\n')],
    ['EXIT STATUS', termsText(Object.values(exits))],
    ['ENVIRONMENT', inline('`svc`(1) lists the variables, and the options of every command.')],
    ['SEE ALSO', references([{ path: '' }, ...related.filter((one) => one.path !== path)])],
  ];
}

function pageName(path: string): string {
  return `svc ${path}`.trim().replaceAll(' ', '-');
}

function references(others: readonly { readonly path: string }[]): string {
  return others.map(({ path }) => `${bold(pageName(path))}(1)`).join(',\n');
}

function optionText(options: Readonly<Record<string, Option>>): string {
  return optionGroups(options, optionItem)
    .map(([heading, items]) => [...(heading ? [`.SS ${heading}`] : []), ...items].join('\n'))
    .join('\n');
}

function optionItem(name: string, option: Option): string {
  const flags = plain(flagsOf(name, option)).replace(/ <(.*)>$/, String.raw` \fI$1\fR`);
  return `.TP\n\\fB${flags}\\fR\n${inline(meaningOf(option) + limitsOf(option))}`;
}

/** The limits of a number, unless its summary has them. */
function limitsOf(option: Option): string {
  const isCount = option.type === 'number' || option.type === 'integer';
  if (!isCount || option.summary.startsWith('from ')) return '';
  const { min, max } = option;
  if (max === undefined) return min === undefined ? '' : `; at least ${min}`;
  return min === undefined ? `; at most ${max}` : `; from ${min} to ${max}`;
}

function termsText(rows: readonly (readonly [term: string | number, meaning: string])[]): string {
  return rows.map(([term, meaning]) => `.TP\n${bold(String(term))}\n${inline(meaning)}`).join('\n');
}

function bold(text: string): string {
  return `\\fB${plain(text)}\\fR`;
}

/** Running text: what is between backticks is bold. */
function inline(text: string): string {
  const parts = text.split(/`([^`]*)`/);
  return parts.map((part, index) => (index % 2 === 1 ? bold(part) : plain(part))).join('');
}

/** Text that roff shows unchanged: no character of it starts a request or an escape. */
function plain(text: string): string {
  return text
    .replaceAll(/[^\n\x20-\x7e]|[\\'"`^~]/gu, (character) => {
      const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? '';
      return `\\[u${code.padStart(4, '0')}]`;
    })
    .replaceAll('-', '\\-')
    .replaceAll(/^\./gm, '\\&.');
}
