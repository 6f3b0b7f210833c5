import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

const stdin = 'word,n\ncat,1\n"dog, big",2\n';

/** A table, and the requests that it becomes with `-m m -p "Translate {word}"`. */
function table() {
  const folder = testFolder();
  const path = join(folder, 'words.csv');
  writeFileSync(path, stdin);
  const line = (id: string, word: string) =>
    `{"custom_id":"${id}","method":"POST","url":"/v1/chat/completions","body":{"model":"m",` +
    `"messages":[{"role":"user","content":"Translate ${word}"}],"stream":false}}\n`;
  return { folder, path, requests: line('line-2', 'cat') + line('line-3', 'dog, big') };
}

describe('svc batch make', () => {
  it('writes the requests of a table to stdout or into a new file, which is an input again', async () => {
    const { folder, path, requests } = table();
    const make = ['batch', 'make', path, '-m', 'm', '-p', 'Translate {word}'];
    expect(await run(make)).toMatchObject({ stdout: requests, stderr: '', code: 0 });
    const output = join(folder, 'requests.jsonl');
    const saved = await run([...make, '-o', output]);
    const note = `wrote 2 requests to ${output}\n`;
    expect(saved).toMatchObject({ stdout: '', stderr: note, code: 0 });
    expect(readFileSync(output, 'utf8')).toBe(requests);
    expect((await run(['batch', 'make', output])).stdout).toBe(requests);
    expect((await run([...make, '-o', output])).code).toBe(11);
  });

  it('writes nothing when a line cannot be sent', async () => {
    const output = join(testFolder(), 'requests.jsonl');
    const { code, stderr } = await run(['batch', 'make', '-', '-o', output], { stdin });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: 3 lines cannot be sent, so nothing was sent:
  line 1: it has no model; use --model
  line 2: it has no model; use --model
  line 3: it has no model; use --model
`,
    });
    expect(() => readFileSync(output)).toThrow('ENOENT');
  });
});
