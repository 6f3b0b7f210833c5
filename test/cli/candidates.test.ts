import { expect, test } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { candidates } from '../../src/cli/candidates.js';
import { run } from '../helpers/run.js';
import {
  localModels,
  lookUpOdd,
  oddChoices,
  oddEntries,
  oddSummary,
} from '../completion/odd-declarations.js';

/** What is printed at the end of a line. */
async function complete(line: string): Promise<string[]> {
  const text = await candidates(line.split(' '), [...entries, ...oddEntries], lookUpOdd);
  return text.split('\n').filter((one) => one !== '');
}

async function words(line: string): Promise<string[]> {
  return (await complete(line)).map((candidate) => candidate.split('\t')[0] ?? '');
}

test('commands, verbs and options come with what they do', async () => {
  expect(await complete('bal')).toEqual(['balance\tshow the prepaid balance']);
  expect(await complete('two-part ')).toEqual(['first\tthe first verb', 'second\tthe second verb']);
  expect(await complete('odd plain --pic')).toEqual([`--pick\t${oddSummary}`]);
  expect(await words('')).toEqual(
    expect.arrayContaining(['chat', 'config', 'completion', 'help', 'exit-codes', 'odd']),
  );
  expect(await words('chat -')).toEqual(
    expect.arrayContaining(['-m', '--model', '--no-stream', '--json', '-h', '--help']),
  );
});

test.each(['отче', 'отчё', 'отче\u0308'])('%s is the start of a name with ё', async (start) => {
  const lookUp = () => Promise.resolve([{ name: 'отчёт' }, { name: 'отчий' }]);
  expect(await candidates(['chat', '-t', start], entries, lookUp)).toBe('отчёт\n');
});

test.each<[line: string, offered: readonly string[]]>([
  ['--vers', ['--version']],
  ['chat --max', ['--max-tokens', '--max-turns', '--max-cost']],
  ['two-part s', ['second']],
  ['two-part first ', []],
  ['help exi', ['exit-codes']],
  ['chat --format ', ['chat', 'messages', 'responses']],
  ['chat --format=m', ['--format=messages']],
  ['--profile work --json completion f', ['fish']],
  ['odd --pick ', oddChoices],
  // Words that help without being a limit are offered too.
  ['chat --tool-choice ', ['auto', 'none', 'required']],
  ['config set low', ['low_balance']],
  ['config set key', ['key_command']],
  ['config unset key', ['key', 'key_command']],
  // Files are the shell's to find.
  ['chat -a al', [':file']],
  ['odd --folder ', [':directory']],
  ['odd plain alpha.txt more be', [':file']],
  // A program has options of its own.
  ['run codex --m', [':file']],
  ['run -- codex ', [':file']],
  ['run --print --model-', ['--model-map']],
  ['generate local/', localModels],
  ['jobs show ', oddChoices],
  // Free text.
  ['chat ', []],
  ['odd --word ', []],
  // After -- all is text.
  ['chat -- --f', []],
  ['completion -- ', []],
  ['chat -m ', localModels],
  ['chat --model=local/e', ['--model=local/echo']],
  ['--local models show local/e', ['local/echo']],
  // PowerShell's way to pass an empty word.
  ['completion ""', ['bash', 'zsh', 'fish', 'powershell']],
])('the end of svc %s is completed', async (line, offered) => {
  expect(await words(line)).toEqual(offered);
});

test('svc __complete prints them, and is not for people', async () => {
  const { stdout, stderr, code } = await run(['__complete', '--', 'bal']);
  expect({ stdout, stderr, code }).toEqual({
    stdout: 'balance\tshow the prepaid balance\n',
    stderr: '',
    code: 0,
  });
  const { stdout: names } = await run(['__complete', '--', '--local', 'chat', '-m', '']);
  expect(names).toContain('local/guide\ttext · Answers questions about svc from its manual\n');
  expect(names.match(/^local\/\w+/gm)).toEqual(
    ['guide', 'echo', 'script'].map((name) => `local/${name}`),
  );
  expect((await run('--help')).stdout).not.toContain('__complete');
});
