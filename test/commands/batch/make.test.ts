import { expect, it } from 'vitest';
import { batchFolder } from './folder.js';

const table = 'word,n\ncat,1\n"dog, big",2\n';
const line = (id: string, word: string) =>
  `{"custom_id":"${id}","method":"POST","url":"/v1/chat/completions","body":{"model":"m",` +
  `"messages":[{"role":"user","content":"Translate ${word}"}],"stream":false}}\n`;
const requests = line('line-2', 'cat') + line('line-3', 'dog, big');

it('svc batch make writes the requests of a table to stdout or into a new file, an input again', async () => {
  const { read, svc } = batchFolder({ 'words.csv': table });
  const make = 'batch make words.csv -m m -p "Translate {word}"';
  expect(await svc(make)).toEqual({ stdout: requests, stderr: '', code: 0 });
  const note = 'wrote 2 requests to requests.jsonl\n';
  expect(await svc(`${make} -o requests.jsonl`)).toEqual({ stdout: '', stderr: note, code: 0 });
  expect(read('requests.jsonl')).toBe(requests);
  expect((await svc('batch make requests.jsonl')).stdout).toBe(requests);
  expect((await svc(`${make} -o requests.jsonl`)).code).toBe(11);
});

it('svc batch make writes nothing when a line cannot be sent', async () => {
  const { read, svc } = batchFolder();
  expect(await svc('batch make - -o requests.jsonl', { stdin: 'hi\n' })).toMatchObject({
    code: 2,
    stderr: `error: 1 line cannot be sent, so nothing was sent:
  line 1: it has no model; use --model
`,
  });
  expect(read('requests.jsonl')).toBeUndefined();
});

it('svc batch make filters the requests that it prints', async () => {
  const { svc } = batchFolder({ 'words.csv': table });
  const ids = await svc('batch make words.csv -m m -p {word} --jq .custom_id --raw');
  expect(ids).toEqual({ stdout: 'line-2\nline-3\n', stderr: '', code: 0 });
});

it('svc batch make gives a terminal no live control characters, and the same values', async () => {
  const { svc } = batchFolder({ 'words.csv': table.replace('cat', '\u009b2J') });
  const { stdout } = await svc('batch make words.csv -m m -p "Translate {word}"', { tty: true });
  expect(stdout).toBe(requests.replace('cat', String.raw`\u009b2J`));
});
