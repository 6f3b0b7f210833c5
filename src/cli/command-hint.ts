/** Suggested commands must reach the service, and the account, of the run that prints them. */
import { shellWord } from '../lib/names.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Entry } from '../command.js';

/** What commands in words for people become: `svc jobs list` under --local, `svc --local jobs list`. */
export function commandHint(
  entries: readonly Entry[],
  flags: GlobalFlags,
): (words: string) => string {
  const profile = flagText('--profile', flags.profile);
  const local = flags.local ? ['--local'] : [];
  const all = [...local, ...profile, ...flagText('--base-url', flags.baseUrl)];
  if (all.length === 0) return (words) => words;
  // Not what comes after settings of its own: SVC_BASE_URL=… svc chat.
  const names = entries.map((entry) => entry.name).join('|');
  const commands = new RegExp(`(?<!=\\S* |[\\w./-])svc (${names})\\b`, 'g');
  const verbsOf = (entry: Entry) => ('commands' in entry ? entry.commands : [entry]);
  const reachesService = (entry: Entry) => verbsOf(entry).some((verb) => verb.endpoints);
  const reaching = new Set(entries.filter(reachesService).map((entry) => entry.name));
  return (words) =>
    words.replace(commands, (_, name: string, at: number) => {
      const line = /^[^`\n]*/.exec(words.slice(at))?.[0] ?? '';
      const fitting = reaching.has(name) ? all : profile;
      const missing = fitting.filter((flag) => !line.includes(flag.split(' ', 1)[0] ?? flag));
      return ['svc', ...missing, name].join(' ');
    });
}

/** An invalid address, or one with a password, is never repeated in a command. */
function flagText(name: string, value: string | undefined): string[] {
  const isTellable = value !== undefined && /^[^\s\p{Cc}@]+$/u.test(value);
  return isTellable ? [`${name} ${shellWord(value)}`] : [];
}
