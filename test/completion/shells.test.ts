import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { oddChoices, oddSummary } from './odd-declarations.js';
import { isInstalled, lines, stage } from './shell.js';

/** What bash would put into COMP_WORDS: it splits at blanks, and at = and : as words of their own. */
function compWords(line: string): string[] {
  const words = line.match(/"[^"]*"?|'[^']*'?|[=:]+|[<>]+|(?:\\.|[^\s=:<>"'\\])+/g) ?? [];
  return /\s$/.test(line) ? [...words, ''] : [...words];
}

/** What bash offers at the end of a line; with `files`, what it looks for itself. */
async function inBash(line: string, compType = 9): Promise<string[]> {
  const program = `
    compopt() { printf 'files: %s\\n' "$2"; }
    source "$1"
    COMP_LINE=$2 COMP_POINT=\${#2} COMP_TYPE=${compType} COLUMNS=60
    COMP_WORDS=("\${@:3}") COMP_CWORD=$(($# - 3))
    _svc
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const set = await stage('svc.bash');
  const args = ['--norc', '--noprofile', '-c', program, 'bash', set.script, line];
  return lines('bash', [...args, ...compWords(line)], set);
}

describe.skipIf(!isInstalled('bash'))('bash completes svc', () => {
  const quoted = String.raw`it\'s,two\ words,co:lon,\$HOME,a\)b,x=,plain`.split(',');

  test.each<[line: string, offered: readonly string[]]>([
    ['svc chat --format=m', ['messages']],
    ['svc chat ', []],
    // A choice comes as a word that bash reads back; after a colon only what follows is replaced.
    ['svc odd ', ['files: nospace', ...quoted]],
    ['svc jobs show ', ['files: nospace', ...quoted]],
    ['svc odd co:l', ['lon']],
    // What is typed may have quotes: readline closes them.
    ['svc odd "tw', ['two words']],
    ["svc odd 'two w", ['two words']],
    [String.raw`svc odd two\ w`, [String.raw`two\ words`]],
    [String.raw`svc odd 'two words' alpha.txt`, ['files: default']],
    ['svc odd x', ['files: nospace', 'x=']],
    ['svc chat -a al', ['files: default']],
    ['svc chat --attach=al', ['files: default']],
    ['svc odd --folder ', ['files: dirnames']],
  ])('%s', async (line, offered) => {
    expect(await inBash(line)).toEqual(offered);
  });

  test('lists summaries beside what is offered after a second Tab, and alone none', async () => {
    const listed = await inBash('svc jobs s', 63);
    expect(listed).toEqual(['show']);
    const verbs = await inBash('svc jobs ', 63);
    expect(verbs).toContain('show      show one media job');
    expect(verbs.filter((one) => one.length >= 60)).toEqual([]);
  });
});

/**
 * The start of an interactive zsh that completes a line as if it had been typed, notes what was
 * offered, and ends. Every match passes through compadd: -D only filters, -d names the array of
 * what is shown for the matches.
 */
const zshStart = `
PS1=
fpath=($SCRIPT_FOLDER $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  if (( ! \${@[(I)-[DOA]]} )); then
    local -a found
    builtin compadd -O found "$@"
    (( $#found )) && print -rl -- $found >> $FOUND
    local -i at=\${@[(I)-d]}
    (( at )) && print -rl -- "\${(@P)@[at+1]}" >> $SHOWN
  fi
  builtin compadd "$@"
}
offer() { _main_complete; compstate[insert]=; compstate[list]= }
zle -C offer complete-word offer
zle-line-init() { BUFFER=$LINE CURSOR=\${#LINE}; zle offer; exit }
zle -N zle-line-init
`;
const terminal = 'zmodload zsh/zpty; zpty inner zsh -i; while zpty -r inner; do :; done >/dev/null';

/** What zsh offers at the end of a line: the words, and how it shows them. */
async function inZsh(line: string): Promise<{ words: string[]; shown: string[] }> {
  const set = await stage('_svc');
  const home = testFolder();
  const [found, shown] = [join(home, 'found'), join(home, 'shown')];
  writeFileSync(join(home, '.zshrc'), zshStart);
  const env = { ZDOTDIR: home, SCRIPT_FOLDER: dirname(set.script), FOUND: found, SHOWN: shown };
  await lines('zsh', ['-f', '-c', terminal], set, { ...env, LINE: line });
  const linesOf = (file: string) =>
    existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return { words: [...new Set(linesOf(found))], shown: linesOf(shown) };
}

describe.skipIf(!isInstalled('zsh'))('zsh completes svc', () => {
  test('words come with what they do, whatever is in it', async () => {
    expect(await inZsh('svc bal')).toEqual({
      words: ['balance'],
      shown: ['balance  -- show the prepaid balance'],
    });
    expect((await inZsh('svc od')).shown).toEqual([`odd  -- ${oddSummary}`]);
  });

  test.each<[line: string, offered: readonly string[]]>([
    ['svc chat --json --format=m', ['messages']],
    ['svc odd ', oddChoices],
    ['svc chat ', []],
    ['svc chat -a al', ['alpha.txt']],
    ['svc chat --attach=al', ['alpha.txt']],
    ['svc odd --folder ', ['gamma']],
    ['svc odd plain alpha.txt more be', [String.raw`beta\ file.txt`]],
    ['svc odd "tw', ['two words']],
    [String.raw`svc odd two\ w`, ['two words']],
  ])('%s', async (line, offered) => {
    expect((await inZsh(line)).words).toEqual(offered);
  });
});

/** What fish offers at the end of a line. */
async function inFish(line: string): Promise<string[]> {
  const set = await stage('svc.fish');
  const program = 'source $argv[1]; complete -C $argv[2]';
  return lines('fish', ['--no-config', '-c', program, set.script, line], set);
}

describe.skipIf(!isInstalled('fish'))('fish completes svc', () => {
  test.each<[line: string, offered: readonly string[]]>([
    ['svc od', [`odd\t${oddSummary}`]],
    ['svc chat --format=m', ['--format=messages']],
    ['svc odd ', oddChoices],
    ['svc chat ', []],
    ['svc chat -a al', ['alpha.txt']],
    ['svc chat --attach=al', ['--attach=alpha.txt']],
    ['svc odd --folder ', ['gamma/']],
    ['svc odd plain alpha.txt more be', ['beta file.txt']],
    ['svc odd "tw', ['two words']],
    [String.raw`svc odd two\ w`, ['two words']],
  ])('%s', async (line, offered) => {
    expect(await inFish(line)).toEqual(offered);
  });
});
