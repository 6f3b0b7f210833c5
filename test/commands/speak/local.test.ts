/** Speech and transcription against the embedded service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isRecord, listOf, recordOf } from '../../../src/lib/json.js';
import { npyShape } from '../../../src/lib/table-files.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

/** `svc --local LINE` in a home and a folder of its own. */
function local() {
  const home = testFolder();
  const folder = testFolder();
  const svc = (...words: string[]) => run(['--local', ...words], { home, tty: { stdin: true } });
  return { svc, path: (name: string) => join(folder, name) };
}

it('what the embedded service speaks is transcribed exactly', async () => {
  const { svc, path } = local();
  const hi = path('hi.wav');
  expect(await svc('speak', 'hello', '-o', hi)).toMatchObject({ code: 0, stdout: `${hi}\n` });
  expect(await svc('transcribe', hi)).toMatchObject({ code: 0, stdout: 'hello\n' });
});

it('what the embedded service speaks is refused where its route is closed, without a warning about a charge', async () => {
  const { svc, path } = local();
  expect(await svc('speak', 'hello', '-o', path('hi.wav'))).toMatchObject({ code: 0 });
  const closed = [
    ['speak', '-m', 'local/voice:closed', 'hello', '-o', path('no.wav')],
    ['transcribe', '-m', 'local/transcribe:closed', path('hi.wav')],
  ];
  for (const line of closed) {
    const { code, stderr } = await svc(...line);
    expect(code).toBe(6);
    expect(stderr).toContain('is temporarily unavailable; nothing was charged');
    expect(stderr).not.toMatch(/may have been|whether it was/);
  }
});

it.each([
  ['--voice', 'tenr', 2, 'there is no voice "tenr"; did you mean "tenor"?'],
  ['--format', 'aac', 3, 'aac'],
])(
  'what the embedded service speaks is refused with %s %s in a sentence',
  async (flag, value, code, message) => {
    const { svc, path } = local();
    const result = await svc('speak', 'hello', flag, value, '-o', path('a.x'));
    expect(result.code).toBe(code);
    expect(result.stderr.split('\n')[0]).toContain(message);
  },
);

const results = (json: string) => listOf(recordOf(JSON.parse(json))['results']).filter(isRecord);

it('offline svc search finds what the manual says, in both forms', async () => {
  for (const form of [[], ['--region', 'global']]) {
    const line = ['--local', 'search', '--json', '-n', '3', ...form, 'exit codes'];
    const { stdout, code } = await run(line);
    expect(code).toBe(0);
    expect(results(stdout)).toHaveLength(3);
    expect(results(stdout)[0]).toMatchObject({ title: 'Exit codes' });
    expect(recordOf(JSON.parse(stdout))['cost']).toMatchObject({ priceRub: 0.3 });
  }
});

it('offline svc embed gives the same numbers either way, and a table of them', async () => {
  const home = testFolder();
  const floats = await run('--local embed one', { home });
  const base64 = await run('--local embed --encoding base64 one', { home });
  const numbers = (json: string) => listOf(JSON.parse(json)).map(Number);
  expect(Float32Array.from(numbers(base64.stdout))).toEqual(
    Float32Array.from(numbers(floats.stdout)),
  );
  const path = join(home, 'a.npy');
  const line = ['--local', 'embed', '--lines', '-o', path];
  expect(await run(line, { home, stdin: 'a\nb\nc' })).toMatchObject({ code: 0 });
  expect(npyShape(readFileSync(path))).toEqual({
    rows: 3,
    columns: numbers(floats.stdout).length,
  });
});

it('offline svc decide decides', async () => {
  const line = [
    ...['--local', 'decide', '--state', 'I cannot pay this invoice with my card'],
    ...['--choice', 'team=Who should answer?'],
    ...['--option', 'team:billing=a card, an invoice, a payment'],
    ...['--option', 'team:tech=an error or an outage of the servers'],
  ];
  const { stdout, stderr, code } = await run([...line, '--exit-on', 'team=billing']);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).toMatch(/^team\tbilling\t0\.\d+\t\n$/);
  expect((await run([...line, '--exit-on', 'team=tech'])).code).toBe(13);
});

it.each([
  ['failing', 6],
  ['stalling', 10],
])('offline a model that is %s ends with %i', async (channel, code) => {
  const model = `local/decide:${channel}`;
  const line = ['--local', 'decide', '-m', model, '--state', 'x', '--yes-no', 'q=Is it?'];
  expect(await run(line)).toMatchObject({ stdout: '', code });
});
