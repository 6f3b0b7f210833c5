import { describe, expect, test } from 'vitest';
import { nastyChoices, nastySummary } from './nasty.js';
import { isInstalled, lines, stage, titleFor } from './shell.js';

/** What fish offers at the end of a line: word, tab, description. */
async function complete(line: string): Promise<string[]> {
  const set = stage('fish');
  const program = 'source $argv[1]; complete -C $argv[2]';
  return lines('fish', ['--no-config', '-c', program, set.script, line], set);
}

async function completeWords(line: string): Promise<string[]> {
  return (await complete(line)).map((found) => found.split('\t')[0] ?? '');
}

describe.skipIf(!isInstalled('fish'))(titleFor('fish', 'fish completes svc'), () => {
  test('commands and verbs come with what they do', async () => {
    expect(await complete('svc bal')).toEqual(['balance\tshow the prepaid balance']);
    expect(await complete('svc two-part ')).toEqual([
      'first\tthe first verb',
      'second\tthe second verb',
    ]);
    expect(await complete('svc two-part first ')).toEqual([]);
  });

  test('a summary is shown as it is, whatever is in it', async () => {
    expect(await complete('svc od')).toEqual([`odd\t${nastySummary}`]);
    expect(await complete('svc odd plain --pic')).toEqual([`--pick\t${nastySummary}`]);
  });

  test('options of the command and of every command are offered, hidden ones are not', async () => {
    expect(await completeWords('svc chat -')).toEqual(
      expect.arrayContaining(['-m', '--model', '--no-stream', '--json', '-h', '--help']),
    );
    expect(await completeWords('svc chat --version')).toEqual([]);
    expect(await completeWords('svc --vers')).toEqual(['--version']);
    expect(await completeWords('svc odd --s')).toEqual([]);
  });

  test('values and arguments are among their choices', async () => {
    const formats = ['chat', 'messages', 'responses'];
    expect(await completeWords('svc chat --format ')).toEqual(formats);
    expect(await completeWords('svc chat --format=m')).toEqual(['--format=messages']);
    expect(await completeWords('svc --profile work completion f')).toEqual(['fish']);
    expect(await completeWords('svc completion fish ')).toEqual([]);
    expect(await completeWords('svc odd --pick ')).toEqual([...nastyChoices].sort());
    expect(await completeWords('svc odd ')).toEqual([...nastyChoices].sort());
  });

  test('files and folders are offered where they belong', async () => {
    expect(await completeWords('svc chat -a al')).toEqual(['alpha.txt']);
    expect(await completeWords('svc odd --folder ')).toEqual(['gamma/']);
    expect(await completeWords('svc odd plain al')).toEqual(['alpha.txt']);
    expect(await completeWords('svc odd plain alpha.txt more be')).toEqual(['beta file.txt']);
  });

  test('nothing is offered for free text, nor after --', async () => {
    for (const line of ['svc chat ', 'svc chat -s ', 'svc odd --word ']) {
      expect(await complete(line)).toEqual([]);
    }
    for (const line of ['svc chat -- --f', 'svc -- ', 'svc completion -- ']) {
      expect(await complete(line)).toEqual([]);
    }
  });

  test('models are offered when the embedded service is meant', async () => {
    expect(await completeWords('svc --local chat -m ')).toEqual(['local/echo', 'local/guide']);
    expect(await completeWords('svc chat -m ')).toEqual([]);
  });
});
