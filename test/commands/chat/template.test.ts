import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { listOf, recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { fileOf, folderOf, requestOf } from './scene.js';

/** A home with these templates. */
const homeOf = (templates: Readonly<Record<string, string>>) =>
  folderOf(
    Object.fromEntries(
      Object.entries(templates).map(([name, text]) => [`templates/${name}.yaml`, text]),
    ),
  );

/** The body that a line would send, with the texts of its messages. */
async function sent(words: readonly string[], options: RunOptions) {
  const { body } = await requestOf(words, options);
  const said = listOf(body['messages']).map((message) => recordOf(message)['content']);
  return { ...body, said };
}

const review =
  'model: local/echo\r\ntemperature: 0.5\r\nsystem: You are {role}.\r\nparams:\r\n  role: strict\r\nprompt: Look at {input} for {focus} {focus}; keep {{this}}.\r\n';

test('a template fills its prompt with parameters, and with what is typed and piped', async () => {
  const home = homeOf({ review });
  const words = ['-t', 'review', '-p', 'focus={role} $&', 'this'];
  expect(await sent(words, { home, stdin: 'piped' })).toMatchObject({
    model: 'local/echo',
    temperature: 0.5,
    said: ['You are strict.', 'Look at piped\n\nthis for {role} $& {role} $&; keep {this}.'],
  });
});

test('a template is found by a name with е for ё, and by either form of й', async () => {
  const home = homeOf({ отчёт: review, 'краткии\u0306': review });
  for (const name of ['отчет', 'краткий']) {
    const body = await sent(['-t', name, '-p', 'focus=x', 'this'], { home });
    expect(body).toMatchObject({ model: 'local/echo' });
  }
});

test('a template gives way to options on the line, and needs no parameter that they make useless', async () => {
  const home = homeOf({ short: 'system: Be {tone}.\ntemperature: 1\nprompt: Sum up.' });
  const words = ['-t', 'short', '-s', 'mine', '--temperature', '0', '-m', 'local/echo', 'this'];
  expect(await sent(words, { home })).toMatchObject({
    model: 'local/echo',
    temperature: 0,
    said: ['mine', 'Sum up.\n\nthis'],
  });
});

test('a template holds switches, lists and a schema in YAML', async () => {
  const file = fileOf('text', 'a.txt');
  const schema = 'schema: {type: object, properties: {a: {type: string}}}';
  const home = homeOf({
    many: `no-stream: true\njson-object: false\ntop-p:\nfile: ['${file}']\n${schema}\nprompt: hi`,
  });
  expect(await sent(['-t', 'many'], { home })).toMatchObject({
    said: [`${file}:\n\n\`\`\`\ntext\n\`\`\`\n\nhi`],
    stream: false,
    response_format: { json_schema: { schema: { type: 'object' } } },
  });
});

const bomb = 'a: &a [x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]';
test.each([
  ['has other braces', 'prompt: "{{ input }}"', 'hi', 'write {input} in place of {{input}}'],
  ['has them elsewhere', 'prompt: in {{a}}', '-p a=fr hi', 'write {a} in place of {{a}}'],
  ['lacks a parameter', review, 'hi', 'template x needs -p focus=VALUE'],
  ['lacks its input', review, '-p focus=a', 'template x needs a text for {input}'],
  ['lacks that parameter', review, '-p focsu=a hi', 'unknown parameter "focsu"; did you mean'],
  ['is given no value', review, '-p focus hi', '-p: "focus" is not NAME=VALUE'],
  ['has an unknown field', 'modle: a', 'hi', 'unknown option --modle; did you mean --model?'],
  ['has a global option', 'yes: true', 'hi', 'template x: unknown option --yes'],
  ['has a template in it', 'template: y', 'hi', 'template x: unknown option --template'],
  ['has __proto__', '__proto__: {a: 1}', 'hi', 'template x: unknown option --__proto__'],
  ['has no value', 'model: true\ntop-p: 1', 'hi', 'template x: missing value: --model <ID>'],
  ['has a wrong value', 'temperature: 5', 'hi', '"5" is not a number from 0 to 2'],
  ['contradicts itself', 'json-object: true\nschema: name', 'hi', 'cannot be used together'],
  ['puts input first', 'system: "{input}"', 'hi', '{input} belongs in prompt, not in system'],
  ['is not YAML', 'a: [\nb: 1', 'hi', 'with a ] at line 2, column 1'],
  ['has a field twice', 'model: a\nmodel: b', 'hi', 'template x has the key "model" twice'],
  ['is a bomb', bomb, 'hi', 'Excessive alias count'],
  ['is a text', 'hello', 'hi', 'it has no fields such as `model: vendor/model`'],
])('a template that %s is refused', async (_, text, words, sentence) => {
  const result = await run(`--local chat -t x ${words}`, { home: homeOf({ x: text }) });
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr.split('\n')[0]).toContain(sentence);
});

test('a template has a name in the folder of the settings, which is not a path', async () => {
  const home = homeOf({ review });
  const hint = 'hint: svc templates list\n';
  const outside = await run('--local chat -t ../templates/review hi', { home });
  expect(outside.stderr).toBe(`error: no template is called "../templates/review"\n${hint}`);
  expect(await run('chat --save ../x hi', { home })).toMatchObject({
    code: 2,
    stderr:
      'error: --save: ../x is not a template name\nhint: use letters, digits, dots, hyphens and underscores\n',
  });
});

it('--save writes the line as a template that asks the same, and sends nothing', async () => {
  const home = testFolder();
  const flags = '-m local/echo --no-stream -p tone=kind'.split(' ');
  const line = [...flags, '-s', 'Be {tone}', 'Say {x}'];
  const result = await run(['chat', '--save', 'say', ...line], { home });
  const note = 'Saved template say. To use it: svc chat -t say\n';
  expect(result).toMatchObject({ code: 0, stdout: '', stderr: note });
  const path = join(home, 'templates', 'say.yaml');
  expect(readFileSync(path, 'utf8')).toBe(
    'model: local/echo\nsystem: Be {tone}\nno-stream: true\nparams:\n  tone: kind\nprompt: Say {x}\n',
  );
  expect(statSync(join(home, 'templates')).mode & 0o777).toBe(0o700);
  const body = await sent(['-t', 'say', '-p', 'x=hi'], { home });
  expect(body).toMatchObject({ stream: false, said: ['Be kind', 'Say hi'] });
  expect(await run('chat --save say hi', { home })).toMatchObject({ code: 11, stdout: '' });
  const forced = await run('chat --save say --force --json bye', { home });
  expect(JSON.parse(forced.stdout)).toEqual({ name: 'say', path });
  expect(readFileSync(path, 'utf8')).toBe('prompt: bye\n');
});

const files = { hi: 'prompt: hello {who}', bad: 'x: [' };

it('svc templates lists broken ones too, and shows one', async () => {
  const home = homeOf(files);
  const path = join(home, 'templates', 'hi.yaml');
  expect((await run('templates list', { home })).stdout).toMatch(/^bad\t.*\nhi\t.*\n$/);
  const json = await run('templates show hi --json', { home });
  const fields = { prompt: 'hello {who}' };
  expect(JSON.parse(json.stdout)).toEqual({ name: 'hi', path, parameters: ['who'], fields });
  expect(await run('templates show hi', { home })).toMatchObject({ stdout: `${files.hi}\n` });
});

it('svc templates edits one and checks what the editor leaves', async () => {
  const home = homeOf(files);
  const write = (text: string) => ({ home, env: { EDITOR: `sh -c 'echo "${text}" > "$0"'` } });
  const good = await run('templates edit hi', write('prompt: bye'));
  expect(good).toMatchObject({ code: 0, stdout: '' });
  expect(good.stderr).toBe('Template hi is ready. To use it: svc chat -t hi\n');
  const bad = await run('templates edit hi', write('promt: bye'));
  expect(bad).toMatchObject({ code: 2, stdout: '' });
  expect(bad.stderr).toBe(
    'error: template hi: unknown option --promt; did you mean --prompt?\nhint: svc templates edit hi\n',
  );
  expect(await run('templates edit hi', { home })).toMatchObject({ code: 2 });
  expect(await run('templates edit none', write('x'))).toMatchObject({ code: 2 });
});

it('svc templates deletes one after asking', async () => {
  const home = homeOf(files);
  const path = join(home, 'templates', 'bad.yaml');
  expect(await run('templates delete bad', { home })).toMatchObject({ code: 2 });
  expect(existsSync(path)).toBe(true);
  const done = await run('templates delete bad --yes', { home });
  expect(done).toMatchObject({ code: 0, stdout: '', stderr: 'Deleted template bad.\n' });
  expect(existsSync(path)).toBe(false);
});
