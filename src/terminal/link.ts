/** Links that a terminal lets people click (OSC 8), made only of addresses that are safe to open. */
import type { Env } from '../lib/env.js';

/** Longer ones are dropped by terminals, some of which then show the rest as text. */
const longest = 2000;

/**
 * The address to put behind a link: http or https, in printable ASCII, without a user name that
 * could pass for a host; undefined for anything else.
 */
export function linkTarget(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, username, password, href } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  if (username !== '' || password !== '' || href.length > longest) return undefined;
  return /^[\x21-\x7e]+$/.test(href) ? href : undefined;
}

/** @param text is shown as it is: it must be harmless already. @param target from `linkTarget`. */
export function hyperlink(text: string, target: string): string {
  return `\u001b]8;;${target}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Whether the terminal is known to take links; FORCE_HYPERLINK overrules what is known. */
export function takesLinks(env: Env, isTerminal: boolean): boolean {
  const forced = env['FORCE_HYPERLINK'];
  if (!isTerminal) return false;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  const { TERM = '', TERM_PROGRAM = '', TERM_PROGRAM_VERSION = '' } = env;
  if (TERM === 'dumb') return false;
  if (TERM_PROGRAM === 'tmux') return versionOf(TERM_PROGRAM_VERSION) >= 3.4;
  // VTE is the widget of most terminals on Linux: 5000 is its version 0.50.
  if (Number(env['VTE_VERSION'] ?? '0') >= 5000) return true;
  if (programs.has(TERM_PROGRAM) || /^(xterm-kitty|xterm-ghostty|alacritty|foot)/.test(TERM)) {
    return true;
  }
  return ['WT_SESSION', 'KONSOLE_VERSION', 'DOMTERM'].some((name) => Boolean(env[name]));
}

const programs = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby']);

function versionOf(text: string): number {
  return Number(/^\d+\.\d+/.exec(text)?.[0] ?? '0');
}
