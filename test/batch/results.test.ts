import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { journalOf, lockOf } from '../../src/batch/output-name.js';
import { readEarlierOutput, Results } from '../../src/batch/results.js';
import { testFolder } from '../helpers/folder.js';
import { answered, failed } from './lines.js';

const facts = { count: 2, sha256: 'a'.repeat(64) };
const idBytes = (id: string) => Buffer.from(JSON.stringify(id));

const line = (id: string, costRub?: number) =>
  answered(id, { costRub, text: '\\"svc\\":{\\"cost\\":{\\"priceRub\\":9' });

function opened(output: string, errors?: string): Results {
  lockOf(output);
  return new Results({ output, errors }, readEarlierOutput(output, errors), facts, {
    now: () => 1000,
  });
}

describe('the files of a batch', () => {
  it('are read again as they were written', () => {
    const output = join(testFolder(), 'out.jsonl');
    const odd = 'a "quoted"\n\u{1f600} id\\';
    const errors = `${output}.errors`;
    const results = opened(output, errors);
    results.addErrors('{"custom_id":"worse","method":"POST","url":"/v1/search","body":{}}\n');
    results.note(`+00000001aaaaaaaa "sent"\n+00000002aaaaaaaa ${JSON.stringify(odd)}\n`);
    results.note('+00000003aaaaaaaa "free"\n-"free"\n+00000004aaaaaaaa "lost"\n!"lost"\n');
    // Some services refuse under 200.
    results.add(line(odd, 0.25) + failed('bad', 'no_model', 200) + line('two', 1.5));
    results.close();
    const written = readEarlierOutput(output, errors);
    const { ids } = written;
    const states = ['sent', odd, 'free', 'lost', 'bad', 'worse', 'other'].map((id) =>
      ids.state(ids.place(idBytes(id))),
    );
    expect(states).toEqual(['sent', 'done', 'new', 'failed', 'done', 'failed', 'new']);
    expect(ids.body(ids.place(idBytes(odd)))).toBe(2);
    expect(written).toMatchObject({ done: 2, failed: 1, spentRub: 1.75, ...facts });
  });

  it('lose a line that was cut off, and go on after the one before it', () => {
    const output = join(testFolder(), 'out.jsonl');
    const first = opened(output);
    first.note('+00000001aaaaaaaa "one"\n');
    first.add(line('one'));
    first.close();
    appendFileSync(output, line('two').slice(0, 40));
    appendFileSync(journalOf(output), '+0000');
    const again = opened(output);
    again.add(line('three'));
    again.close();
    expect(readFileSync(output, 'utf8')).toBe(line('one') + line('three'));
    expect(readFileSync(journalOf(output), 'utf8')).toBe(
      `svc-batch 1 ${facts.sha256}\n@1000 2\n+00000001aaaaaaaa "one"\n@1000 2\n`,
    );
  });

  it.each([
    ['an output that is something else', 'out.jsonl', 'a text\n'],
    ['an output that is one incomplete line', 'out.jsonl', 'a text'],
    ['a journal that is something else', 'out.jsonl.svc/journal', 'a text\n'],
  ])('are not mixed with %s', (_name, file, content) => {
    const folder = testFolder();
    lockOf(join(folder, 'out.jsonl'));
    writeFileSync(join(folder, file), content);
    expect(() => readEarlierOutput(join(folder, 'out.jsonl'), undefined)).toThrow(
      `${join(folder, file)} was not written by this batch`,
    );
    expect(readFileSync(join(folder, file), 'utf8')).toBe(content);
  });

  it.each([
    ['a batch whose journal is gone', 'out.jsonl', line('one'), 'out.jsonl.svc has no journal'],
    ['a batch of an older svc', 'out.jsonl.sent', 'svc-batch 1 0\n', 'wrote OUT/out.jsonl.sent'],
  ])('are not begun again beside %s, which may be paid for', (_name, file, content, words) => {
    const folder = testFolder();
    writeFileSync(join(folder, file), content);
    const again = () => readEarlierOutput(join(folder, 'out.jsonl'), undefined);
    expect(again).toThrow(`${words.replace('OUT', folder)}; nothing was sent`);
  });

  it.each([
    ['a ceiling', '@1 2\n$0.5\n+00000001aaaaaaaa "one"\n', false],
    ['none', '@1 2\n+00000001aaaaaaaa "one"\n@2 2\n', true],
    ['none and then a ceiling', '@1 2\n+00000001aaaaaaaa "one"\n@2 2\n$0.5\n', false],
    ['a ceiling and then none', '@1 2\n$0.5\n@2 2\n+00000001aaaaaaaa "one"\n', true],
  ])('tell whether something was sent without a ceiling: %s', (_name, records, isUnlimited) => {
    const output = join(testFolder(), 'out.jsonl');
    lockOf(output);
    writeFileSync(journalOf(output), `svc-batch 1 ${facts.sha256}\n${records}`);
    expect(readEarlierOutput(output, undefined).isUnlimited).toBe(isUnlimited);
  });

  it('may be written beside another file of that name', () => {
    const output = join(testFolder(), 'out.jsonl');
    writeFileSync(`${output}.sent`, 'a letter\n');
    expect(readEarlierOutput(output, undefined).sha256).toBe('');
  });
});
