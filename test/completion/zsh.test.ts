import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { nastyChoices, nastySummary } from './nasty.js';
import { isInstalled, lines, stage, titleFor } from './shell.js';

/**
 * The start of an interactive zsh that completes a line as if it had been typed, notes what was
 * offered, and ends. Every match passes through compadd: -D only filters, -d names the array of
 * what is shown for the matches.
 */
const start = `
PS1=
fpath=($SCRIPT_FOLDER $fpath)
autoload -Uz compinit
compinit -u -d $DUMP
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

/** What compinit found, so that it looks for it once. */
const dump = join(mkdtempSync(join(tmpdir(), 'svc-test-')), 'dump');
afterAll(() => {
  rmSync(dirname(dump), { recursive: true });
});

/** A terminal for it. */
const terminal = 'zmodload zsh/zpty; zpty inner zsh -i; while zpty -r inner; do :; done >/dev/null';

/** What zsh offers at the end of a line: the words, and how it shows them. */
async function complete(line: string): Promise<{ words: string[]; shown: string[] }> {
  const set = stage('zsh');
  const home = testFolder();
  const [found, shown] = [join(home, 'found'), join(home, 'shown')];
  writeFileSync(join(home, '.zshrc'), start);
  const env = { ZDOTDIR: home, SCRIPT_FOLDER: dirname(set.script), FOUND: found, SHOWN: shown };
  await lines('zsh', ['-f', '-c', terminal], set, { ...env, DUMP: dump, LINE: line });
  return { words: [...new Set(linesOf(found))], shown: linesOf(shown) };
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

async function completeWords(line: string): Promise<string[]> {
  return (await complete(line)).words;
}

describe.skipIf(!isInstalled('zsh'))(titleFor('zsh', 'zsh completes svc'), () => {
  test('commands and verbs come with what they do', async () => {
    expect(await complete('svc bal')).toEqual({
      words: ['balance'],
      shown: ['balance  -- show the prepaid balance'],
    });
    expect(await completeWords('svc two-part ')).toEqual(['first', 'second']);
    expect(await completeWords('svc --json two-part --quiet s')).toEqual(['second']);
    expect(await completeWords('svc two-part first s')).toEqual([]);
  });

  test('a summary is shown as it is, whatever is in it', async () => {
    expect((await complete('svc od')).shown).toEqual([`odd  -- ${nastySummary}`]);
    expect((await complete('svc odd plain --pic')).shown).toEqual([`--pick  -- ${nastySummary}`]);
  });

  test('options of the command and of every command are offered, hidden ones are not', async () => {
    expect(await completeWords('svc chat -')).toEqual(
      expect.arrayContaining(['-m', '--model', '--no-stream', '--json', '-h', '--help']),
    );
    expect(await completeWords('svc chat --vers')).toEqual([]);
    expect(await completeWords('svc --vers')).toEqual(['--version']);
    expect(await completeWords('svc odd --s')).toEqual([]);
  });

  test('an option that is given is not offered again unless it may be repeated', async () => {
    expect(await completeWords('svc chat --model x --mod')).toEqual([]);
    expect(await completeWords('svc chat --attach x --att')).toEqual(['--attach']);
  });

  test('values and arguments are among their choices', async () => {
    const formats = ['chat', 'messages', 'responses'];
    expect(await completeWords('svc chat --format ')).toEqual(formats);
    expect(await completeWords('svc chat --json --format=m')).toEqual(['messages']);
    expect(await completeWords('svc --profile work completion f')).toEqual(['fish']);
    expect(await completeWords('svc completion fish f')).toEqual([]);
    expect(await completeWords('svc odd --pick ')).toEqual([...nastyChoices]);
    expect(await completeWords('svc odd ')).toEqual([...nastyChoices]);
  });

  test('files and folders are offered where they belong', async () => {
    expect(await completeWords('svc chat -a al')).toEqual(['alpha.txt']);
    expect(await completeWords('svc chat --attach=al')).toEqual(['alpha.txt']);
    expect(await completeWords('svc odd --folder ')).toEqual(['gamma']);
    expect(await completeWords('svc odd plain alpha.txt more be')).toEqual([
      String.raw`beta\ file.txt`,
    ]);
  });

  test('nothing is offered for free text, nor after --', async () => {
    for (const line of ['svc chat ', 'svc chat -s ', 'svc odd --word ']) {
      expect(await completeWords(line)).toEqual([]);
    }
    for (const line of ['svc chat -- --f', 'svc -- ', 'svc completion -- ']) {
      expect(await completeWords(line)).toEqual([]);
    }
  });

  test('models are offered when the embedded service is meant', async () => {
    expect(await completeWords('svc --local chat -m ')).toEqual(['local/guide', 'local/echo']);
    expect(await completeWords('svc chat --local -m local/e')).toEqual(['local/echo']);
    expect(await completeWords('svc chat -m ')).toEqual([]);
  });
});
