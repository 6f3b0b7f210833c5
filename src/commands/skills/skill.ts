/** The text of SKILL.md, from the map of the commands. */
import type { CommandMap } from '../../command-map.js';

/** The options of every command that a coding agent needs. */
const usefulOptions = ['--json', '--jq', '--fields', '--max-cost', '--dry-run', '--local', '--yes'];

/** @returns Markdown of at most 4 KB, with the head that agents choose a skill by. */
export function skillText({ commands = [], exitCodes = [], options = [] }: CommandMap): string {
  const current = commands.filter(({ deprecated }) => !deprecated);
  const free = new Map<string, string[]>();
  for (const { path, charges } of current) {
    const [name = '', verb] = path.split(' ');
    if (!charges) free.set(name, [...(free.get(name) ?? []), ...(verb ? [verb] : [])]);
  }
  const named = options.filter(({ flag }) => usefulOptions.includes(flag));
  const ownCodes = exitCodes.filter(({ code }) => code > 1 && code < 128);
  return `---
name: svc
description: Use the svc command line to ask language models, generate images, video, music and speech, transcribe recordings, search the web, embed or batch texts, and read prices, balance and support tickets. Use it when the user mentions svc or needs one of these from the terminal.
---

# svc

Every option of a command, with types, choices and the calls that charge: \`svc help --json COMMAND\`.
stdout is data; stderr has notes, and after a failure a sentence and the next command. With --json, a
failure is \`{"error": {"exit", "code", "message", "hint"}}\` on stderr. Prices are in RUB.

## Commands that may charge

${lines(current.filter(({ charges }) => charges).map(({ path, summary }) => [`svc ${path}`, summary]))}

Before you spend: \`--max-cost RUB\` is the ceiling of a command, \`svc budget\` shows what is left of the
budget, \`--dry-run\` sends nothing. \`svc jobs list\`, \`wait\` and \`resume\` only finish what was requested.

## Commands that are free

${Array.from(free, ([name, verbs]) => `\`svc ${[name, verbs.join('|')].join(' ').trim()}\``).join(', ')}

## Options of every command

${lines(named.map(({ flag, value = '', summary }) => [`${flag} ${value}`.trim(), summary]))}

## Exit codes

${ownCodes.map(({ code, meaning }) => `${code} ${meaning}`).join('. ')}.
After 10, do not run it again: look at \`svc usage list\` first.
`;
}

function lines(rows: readonly (readonly [code: string, meaning: string])[]): string {
  return rows.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n');
}
