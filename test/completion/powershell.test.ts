import { expect, test } from 'vitest';
import { entries } from '../../src/commands/index.js';
import { completionScript } from '../../src/completion/script.js';
import { nastyChoices, nastyEntries, nastySummary } from './nasty.js';

const script = completionScript('powershell', [...entries, ...nastyEntries], ['local/echo']);

/** A script as PowerShell takes it apart: its texts in single quotes, and what is around them. */
function takeApart(source: string): { texts: string[]; code: string } {
  const quote = "['\u2018-\u201b]";
  const texts: string[] = [];
  const pattern = new RegExp(
    `(#[^\\n]*)|("[^"\\n]*")|${quote}((?:[^'\u2018-\u201b\\n]|${quote}${quote})*)${quote}`,
    'g',
  );
  const code = source.replace(pattern, (_, comment?: string, double?: string, single?: string) => {
    if (comment !== undefined) return '';
    if (double !== undefined) return '""';
    texts.push((single ?? '').replace(new RegExp(`(${quote})${quote}`, 'g'), '$1'));
    return "''";
  });
  return { texts, code };
}

const { texts, code } = takeApart(script);

test('every text is closed, and every brace', () => {
  expect(code.replaceAll("''", '')).not.toMatch(/['\u2018-\u201b]/);
  const open: string[] = [];
  for (const sign of code.match(/[(){}[\]]/g) ?? []) {
    if ('({['.includes(sign)) open.push(sign);
    else expect(`${open.pop() ?? ''}${sign}`).toMatch(/^(\(\)|\{\}|\[\])$/);
  }
  expect(open).toEqual([]);
});

test('texts say what was declared, whatever is in it', () => {
  for (const text of [nastySummary, ...nastyChoices]) expect(texts).toContain(text);
});

test('every command, verb and option is there, hidden ones are not', () => {
  for (const entry of entries) {
    expect(texts).toContain(entry.name);
    for (const verb of 'commands' in entry ? entry.commands : []) {
      expect(texts).toContain(`${entry.name} ${verb.name}`);
    }
  }
  expect(texts).toEqual(expect.arrayContaining(['-m', '--model', '--no-stream', '--json', '-h']));
  expect(texts).not.toContain('--secret');
});

test('a value of a list, a file, and free text are told apart', () => {
  const line = (name: string) => script.split('\n').find((one) => one.includes(`'${name}'`)) ?? '';
  expect(line('--format')).toContain("Kind = 'words'; Words = @('chat', 'messages', 'responses')");
  expect(line('--attach')).toContain("Kind = 'file'");
  expect(line('--system')).toContain("Kind = 'nothing'");
  expect(line('--no-stream')).toContain("Kind = ''");
});

test('it is registered for svc', () => {
  expect(code).toContain('Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {');
});
