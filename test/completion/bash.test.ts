import { describe, expect, test } from 'vitest';
import { isInstalled, lines, stage, titleFor } from './shell.js';

/** What bash would put into COMP_WORDS: it splits at blanks, and at = and : as words of their own. */
function compWords(line: string): string[] {
  const words = line.match(/"[^"]*"?|'[^']*'?|[=:]+|[<>]+|[^\s=:<>"']+/g) ?? [];
  return /\s$/.test(line) ? [...words, ''] : [...words];
}

/** What bash offers at the end of a line. */
async function complete(line: string): Promise<string[]> {
  const program = `
    source "$1"
    COMP_LINE=$2 COMP_POINT=\${#2}
    COMP_WORDS=("\${@:3}") COMP_CWORD=$(($# - 3))
    _svc
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const set = stage('bash');
  const args = ['--norc', '--noprofile', '-c', program, 'bash', set.script, line];
  return lines('bash', [...args, ...compWords(line)], set);
}

describe.skipIf(!isInstalled('bash'))(titleFor('bash', 'bash completes svc'), () => {
  test('the first word is a command', async () => {
    expect(await complete('svc ')).toEqual(
      expect.arrayContaining(['chat', 'config', 'completion', 'help', 'exit-codes', 'two-part']),
    );
    expect(await complete('svc ch')).toEqual(['chat']);
  });

  test('a command with verbs is followed by one of them', async () => {
    expect(await complete('svc two-part ')).toEqual(['first', 'second']);
    expect(await complete('svc two-part s')).toEqual(['second']);
    expect(await complete('svc two-part first ')).toEqual([]);
  });

  test('a hyphen asks for the options of the command and those of every command', async () => {
    const offered = await complete('svc chat -');
    expect(offered).toEqual(
      expect.arrayContaining(['-m', '--model', '--no-stream', '--json', '-h', '--help']),
    );
    expect(offered).not.toContain('--version');
    expect(await complete('svc chat --max')).toEqual(['--max-tokens']);
    expect(await complete('svc --vers')).toEqual(['--version']);
  });

  test('hidden options stay hidden', async () => {
    expect(await complete('svc odd --s')).toEqual([]);
  });

  test('the value of an option is one of its choices', async () => {
    const formats = ['chat', 'messages', 'responses'];
    expect(await complete('svc chat --format ')).toEqual(formats);
    expect(await complete('svc chat --format=')).toEqual(formats);
    expect(await complete('svc chat --format=m')).toEqual(['messages']);
    expect(await complete('svc chat -q --format r')).toEqual(['responses']);
  });

  test('an argument is one of its choices', async () => {
    expect(await complete('svc completion ')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await complete('svc completion z')).toEqual(['zsh']);
    expect(await complete('svc completion zsh ')).toEqual([]);
  });

  test('words that help without being a limit are offered too', async () => {
    expect(await complete('svc chat --tool-choice ')).toEqual(['auto', 'none', 'required']);
    expect(await complete('svc config set low')).toEqual(['low_balance']);
    expect(await complete('svc --local models show local/e')).toEqual(['local/echo']);
  });

  test('options that come first hide nothing', async () => {
    expect(await complete('svc --profile work --json completion f')).toEqual(['fish']);
    expect(await complete('svc --profile comple')).toEqual([]);
  });

  test('files and folders are offered where they belong', async () => {
    expect(await complete('svc chat -a ')).toEqual(
      expect.arrayContaining(['alpha.txt', 'beta file.txt', 'gamma']),
    );
    expect(await complete('svc chat --attach=al')).toEqual(['alpha.txt']);
    expect(await complete('svc odd --folder ')).toEqual(['gamma']);
    expect(await complete('svc odd plain al')).toEqual(['alpha.txt']);
    expect(await complete('svc odd plain alpha.txt more be')).toEqual(['beta file.txt']);
    expect(await complete('svc chat hello > al')).toEqual(['alpha.txt']);
  });

  test('nothing is offered for free text', async () => {
    expect(await complete('svc chat ')).toEqual([]);
    expect(await complete('svc chat -s ')).toEqual([]);
    expect(await complete('svc chat --max-tokens ')).toEqual([]);
    expect(await complete('svc odd --word ')).toEqual([]);
  });

  test('nothing is offered after --', async () => {
    expect(await complete('svc chat -- --f')).toEqual([]);
    expect(await complete('svc -- ')).toEqual([]);
    expect(await complete('svc completion -- ')).toEqual([]);
  });

  test('models are offered when the embedded service is meant', async () => {
    expect(await complete('svc --local chat -m ')).toEqual(['local/guide', 'local/echo']);
    expect(await complete('svc chat -m ')).toEqual([]);
  });

  test('a choice comes as a word that bash reads back, whatever is in it', async () => {
    const words = String.raw`it\'s,two\ words,co:lon,\$HOME,a\)b,plain`.split(',');
    expect(await complete('svc odd ')).toEqual(words);
    expect(await complete('svc odd --pick ')).toEqual(words);
  });

  test('after a colon only what follows it is replaced', async () => {
    expect(await complete('svc odd co:l')).toEqual(['lon']);
    expect(await complete('svc odd --pick=co:')).toEqual(['lon']);
  });
});
