/** What a terminal can be given: harmless text, links and colours. */
import { type Env, isAgent } from '../lib/env.js';

/** Characters that control a terminal instead of being shown; line feeds and tabs stay. */
const live =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Makes untrusted text harmless to a terminal, without state: no way of cutting it lets a sequence through. */
export function sanitise(text: string): string {
  return text.replace(live, (unit) => {
    const code = unit.charCodeAt(0);
    // Carriage returns go, and what reorders text; other controls are shown: ESC as ␛.
    if (code === 0x0d || code >= 0xa0) return '';
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

export function oneLine(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ');
}

/** The same for JSON: the controls that JSON leaves bare are escaped, so the value stays equal. */
export function sanitiseJson(json: string): string {
  return json.replace(live, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const jsonToken = /("[^"\\]*(?:\\.[^"\\]*)*")(:)?|-?\d[\d.eE+-]*|true|false|null/g;
/** Nobody reads more of it on a screen, and the pattern takes no string of millions of escapes. */
const maxColoured = 1_000_000;

/** @param json harmless already; it may be cut between two tokens. */
export function colouredJson(json: string, style: Style): string {
  if (json.length > maxColoured) return json;
  return json.replace(jsonToken, (token, text?: string, colon?: string) => {
    if (text === undefined) return style('yellow', token);
    return colon ? `${style('cyan', text)}:` : style('green', text);
  });
}

/** Longer ones are dropped by terminals, some of which then show the rest as text. */
const maxTarget = 2000;

/** An http or https address to put behind a link, without a user name that could pass for a host. */
export function linkTarget(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { username, password, href } = new URL(url);
  const isPlain = /^https?:[\x21-\x7e]+$/.test(href) && href.length <= maxTarget;
  return isPlain && username === '' && password === '' ? href : undefined;
}

/**
 * Decodes the addresses in a text for people: `/wiki/%D0%9C` is shown as `/wiki/М`, and the host as
 * it came. Only letters and digits that run to the right: so a browser makes the same bytes of
 * what is copied, and nothing is decoded at which an address would end.
 */
export function withReadableAddresses(text: string): string {
  if (!/%[c-f]/i.test(text)) return text;
  const letter =
    /^(?![\p{Default_Ignorable_Code_Point}\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])[\p{L}\p{M}\p{N}]$/u;
  const decoded = (encoded: string) => {
    try {
      const character = decodeURIComponent(encoded);
      return letter.test(character) ? character : encoded;
    } catch {
      return encoded;
    }
  };
  return text.replace(/(https?:\/\/[^\s/?#]*)(\S*)/gi, (_, host: string, path: string) => {
    const readable = path.replace(/%[c-f][\da-f](?:%[89ab][\da-f]){1,3}/gi, decoded);
    // An accent would stand on the `/` before it.
    return host + readable.replace(/(?<![\p{L}\p{M}\p{N}])\p{M}+/gu, encodeURIComponent);
  });
}

/** @param text is shown as it is: it must be harmless already. @param target from `linkTarget`. */
export function hyperlink(text: string, target: string): string {
  return `\u001b]8;;${target}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Whether a terminal is known to take links; FORCE_HYPERLINK overrules what is known. */
export function takesLinks(env: Env): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (isAgent(env)) return false;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  const { TERM = '', TERM_PROGRAM = '', TERM_PROGRAM_VERSION = '' } = env;
  if (TERM === 'dumb') return false;
  if (TERM_PROGRAM === 'tmux') return Number(/^\d+\.\d+/.exec(TERM_PROGRAM_VERSION)?.[0]) >= 3.4;
  // VTE is the widget of most terminals on Linux: 5000 is its version 0.50.
  const isVte = Number(env['VTE_VERSION'] ?? '0') >= 5000;
  const isKnown = /^(xterm-kitty|xterm-ghostty|alacritty|foot)/.test(TERM);
  const names = ['WT_SESSION', 'KONSOLE_VERSION', 'DOMTERM'];
  return isVte || isKnown || programs.has(TERM_PROGRAM) || names.some((name) => Boolean(env[name]));
}

const programs = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby']);

const codes = {
  dim: [2, 22],
  bold: [1, 22],
  italic: [3, 23],
  underline: [4, 24],
  cyan: [36, 39],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  // What a colour means, outside of answers and JSON.
  ...{ done: [32, 39], failed: [31, 39], waiting: [33, 39], over: [2, 22] },
} as const;

export type Look = keyof typeof codes;
export type Meaning = Extract<Look, 'done' | 'failed' | 'waiting' | 'over'>;

export type Style = (look: Look | undefined, text: string) => string;

/** A word, a blank or a mark of a line that is drawn. */
export interface StyledText {
  readonly text: string;
  readonly looks: readonly Look[];
  /** An address from `linkTarget`. */
  readonly link?: string;
}

export function styleFor(env: Env, isTerminal: boolean): Style {
  if (!takesColour(env, isTerminal)) return (_, text) => text;
  return (look, text) => {
    if (!look) return text;
    const [open, close] = codes[look];
    return `\u001b[${String(open)}m${text}\u001b[${String(close)}m`;
  };
}

/** NO_COLOR and coding agents win, then FORCE_COLOR, then whether the stream is a terminal that is not dumb. */
export function takesColour(env: Env, isTerminal: boolean): boolean {
  if (env['NO_COLOR'] || isAgent(env)) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}

/**
 * Lines broken at blanks, but not within a command in backquotes. Letters count as one column each:
 * measuring wider ones takes a library of 20 ms.
 */
export function wrapWords(text: string, width: number): string[] {
  const joined = text.replace(/`[^`]*`/g, (command) => command.replaceAll(' ', '\0'));
  const line = new RegExp(`\\S.{0,${String(Math.max(width, 1) - 1)}}(?= |$)|\\S+`, 'g');
  return (joined.match(line) ?? []).map((one) => one.replaceAll('\0', ' '));
}

/** Wrapped, with all lines after the first indented. */
export function hanging(text: string, width: number, indent: number): string {
  return wrapWords(text, width - indent).join(`\n${' '.repeat(indent)}`);
}
