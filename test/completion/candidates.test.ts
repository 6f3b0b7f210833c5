import { expect, test } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { candidates } from '../../src/completion/candidates.js';
import { run } from '../helpers/run.js';
import { localModels, oddChoices, oddEntries, oddSummary } from './odd-declarations.js';

/** What is printed at the end of a line. */
async function complete(line: string): Promise<string[]> {
  const all = [...entries, ...oddEntries];
  const text = await candidates(line.split(' '), all, () => Promise.resolve(localModels));
  return text.split('\n').filter((one) => one !== '');
}

async function words(line: string): Promise<string[]> {
  return (await complete(line)).map((found) => found.split('\t')[0] ?? '');
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

test.each<[line: string, offered: readonly string[]]>([
  ['--vers', ['--version']],
  ['chat --max', ['--max-tokens']],
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
  // Files are the shell's to find.
  ['chat -a al', [':file']],
  ['odd --folder ', [':directory']],
  ['odd plain alpha.txt more be', [':file']],
  ['generate ', ['image', 'video', 'audio', 'music', '3d']],
  ['generate a', ['audio']],
  ['--local generate local/', localModels],
  // Free text.
  ['chat ', []],
  ['odd --word ', []],
  // After -- all is text.
  ['chat -- --f', []],
  ['completion -- ', []],
  // Models are known without a call where the embedded service is meant.
  ['--local chat -m ', localModels],
  ['--local models show local/e', ['local/echo']],
  ['chat -m ', []],
  // PowerShell's way to pass an empty word.
  ['completion ""', ['bash', 'zsh', 'fish', 'powershell']],
])('svc %s', async (line, offered) => {
  expect(await words(line)).toEqual(offered);
});

test('svc __complete prints them, and is not for people', async () => {
  const { stdout, stderr, code } = await run(['__complete', '--', 'bal']);
  expect({ stdout, stderr, code }).toEqual({
    stdout: 'balance\tshow the prepaid balance\n',
    stderr: '',
    code: 0,
  });
  const { stdout: found } = await run(['__complete', '--', '--local', 'chat', '-m', '']);
  expect(found).toBe('local/guide\nlocal/echo\nlocal/script\nlocal/embed\nlocal/decide\n');
  const { stdout: media } = await run(['__complete', '--', '--local', 'generate', 'local/ca']);
  expect(media).toBe('local/canvas\n');
  expect((await run('--help')).stdout).not.toContain('__complete');
});
