/**
 * Commands that svc tells a person to go on with. They must reach the service, and the account, of
 * the run that tells them: its flags that say which are repeated in them.
 */
import { entries } from '../commands/index.js';
import { shellWord } from '../lib/names.js';
import type { GlobalFlags } from './context.js';
import type { Entry } from './declaration.js';

/** What commands in words for people become: `svc jobs list` under --local, `svc --local jobs list`. */
export function commandHint(flags: GlobalFlags): (words: string) => string {
  const given = serviceFlags(flags);
  if (given.length === 0) return (words) => words;
  // Not what comes after settings of its own: SVC_BASE_URL=… svc chat.
  const names = entries.map((entry) => entry.name).join('|');
  const commands = new RegExp(`(?<!=\\S* |[\\w./-])svc (${names})\\b`, 'g');
  const reaching = new Set(entries.filter(reachesService).map((entry) => entry.name));
  return (words) =>
    words.replace(commands, (_, name: string, at: number) => {
      const line = /^[^`\n]*/.exec(words.slice(at))?.[0] ?? '';
      const missing = given.filter(
        (flag) => (flag.isForAll === true || reaching.has(name)) && !line.includes(flag.name),
      );
      return ['svc', ...missing.map((flag) => flag.text), name].join(' ');
    });
}

interface ServiceFlag {
  readonly name: string;
  readonly text: string;
  /** Also for commands that reach no service. */
  readonly isForAll?: boolean;
}

function serviceFlags({ local, profile, baseUrl }: GlobalFlags): readonly ServiceFlag[] {
  return [
    ...(local ? [{ name: '--local', text: '--local' }] : []),
    ...(isTellable(profile)
      ? [{ name: '--profile', text: `--profile ${shellWord(profile)}`, isForAll: true }]
      : []),
    ...(isTellable(baseUrl)
      ? [{ name: '--base-url', text: `--base-url ${shellWord(baseUrl)}` }]
      : []),
  ];
}

/** What can be no address, or holds a password, is refused: there is no going on with it. */
function isTellable(value: string | undefined): value is string {
  return value !== undefined && /^[^\s\p{Cc}@]+$/u.test(value);
}

function reachesService(entry: Entry): boolean {
  const verbs = 'commands' in entry ? entry.commands : [entry];
  return verbs.some((verb) => verb.endpoints !== undefined);
}
