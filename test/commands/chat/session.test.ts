import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { chunks, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { fails, run } from '../../helpers/run.js';
import { fileOf } from './scene.js';
import { shown } from '../../terminal/rendered.js';
import { ctrlC, ctrlD, says, sentIn, served, session, tab } from './session-scene.js';

it('svc chat -i answers one question after the other, each with its price, and says how to continue', async () => {
  const { code, stdout, said } = await session('', ['hello', 'and again']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello\nand again\n' });
  expect(said).toEqual([
    'local/echo · a new conversation · /help lists the commands',
    'local/echo · 2 in, 2 out tokens · 0.00008 RUB · balance 1,000.00 RUB',
    'local/echo · 5 in, 3 out tokens · 0.00016 RUB · balance 1,000.00 RUB',
    'this session cost 0.00024 RUB',
    'to continue: svc --local chat -c',
  ]);
});

it('svc chat alone on a terminal opens the session, also for a conversation; elsewhere it names -i', async () => {
  const typed = [['/help', `hello\r${ctrlD}`]] as const;
  const home = testFolder();
  const opened = await run('--local chat -m local/echo', { tty: true, home, typed });
  expect(opened).toMatchObject({ code: 0, stdout: 'hello\n' });
  expect((await run('--local chat -c', { tty: true, home, typed })).stderr).toContain(
    'local/echo · c1',
  );
  for (const [line, options] of [
    ['--local chat', {}],
    ['--local chat --no-input', { tty: true }],
    ['--local chat --max-tokens 9', { tty: true }],
    ['--local chat', { tty: true, env: { CLAUDECODE: '1' } }],
  ] as const) {
    expect(await run(line, options)).toMatchObject(
      fails(2, 'the prompt is empty', 'svc --local chat -i'),
    );
  }
});

it('svc chat -i asks what the command line asks first, and is continued with -c and /retry', async () => {
  const { home, stdout } = await session('first', []);
  expect(stdout).toBe('first\n');
  const again = await session('-c', ['/retry'], { home });
  expect(again.said[0]).toBe('local/echo · c1 · /help lists the commands');
  expect(again.stdout).toBe('first\nfirst\n');
  const { stdout: piped } = await run('--local chat -c --json -m local/echo more', { home });
  expect(JSON.parse(piped)).toMatchObject({ conversation: 'c1', text: 'more' });
});

it('svc chat -i sends what was said before, the system prompt, an attachment and a slash', async () => {
  const file = fileOf('the notes', 'notes.txt');
  const { bodies, talk } = await served(says('one'), says('two'), says('three'));
  const before = ['/system Be brief.', `/attach ${file}`, 'first', '/system clear', '/model w'];
  const { stdout } = await talk([...before, '//second', '/undo', 'third']);
  expect(stdout).toBe('one\ntwo\nthree\n');
  const system = { role: 'system', content: 'Be brief.' };
  const notes = { type: 'text', text: 'notes.txt:\n\nthe notes' };
  const first = { role: 'user', content: [notes, { type: 'text', text: 'first' }] };
  const one = { role: 'assistant', content: 'one' };
  expect(bodies().map(({ model, messages }) => [model, messages])).toEqual([
    ['v', [system, first]],
    ['w', [first, one, { role: 'user', content: '/second' }]],
    ['w', [first, one, { role: 'user', content: 'third' }]],
  ]);
});

it('svc chat -i searches before one question, once, also when it is asked again', async () => {
  const found = json({ results: [{ title: 'T', url: 'https://e.org', snippet: 'S' }] });
  const answers = [found, says('as [1]'), says('as [1]'), says('later')];
  const { bodies, talk } = await served(...answers);
  await talk(['/search exit codes', 'what?', '/retry', 'and?']);
  const [search, first, again, second] = bodies();
  expect(search).toMatchObject({ query: 'exit codes' });
  expect(first?.messages.at(-1)?.content).toContain('https://e.org');
  expect(again?.messages).toEqual(first?.messages);
  expect(second?.messages.at(-1)?.content).toBe('and?');
});

it('svc chat -i goes on after a refusal: the question can be asked again, also changed', async () => {
  const broke = json({ error: { message: 'no money', code: 'insufficient_balance' } }, 402);
  const { bodies, talk } = await served(broke, says('one'), says('two'));
  const editor = join(testFolder(), 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\nprintf " changed\\n" >> "$1"\n', { mode: 0o755 });
  const env = { EDITOR: editor };
  const { code, stderr, stdout } = await talk(['ask', '/retry', '/edit'], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'one\ntwo\n' });
  expect(stderr).toContain('error: no money');
  const asked = bodies().map(({ messages }) => messages);
  const question = [{ role: 'user', content: 'ask' }];
  expect(asked).toEqual([question, question, [{ role: 'user', content: 'ask changed' }]]);
});

it('svc chat -i keeps what came of an answer that Ctrl-C stops, and says what it cost', async () => {
  const home = testFolder();
  const { env, requests } = await fakeService((request, response) => {
    const head = { 'content-type': 'text/event-stream' };
    if (sentIn(requests).length > 1) says('ld')(request, response);
    else response.writeHead(200, head).write(chunks('Hello, wor'));
  });
  const stdin = new PassThrough();
  const { code, stdout, stderr } = await run('chat -i -m v', {
    ...{ tty: true, home, env, stdin, columns: 90 },
    onStdout: (text) => text.includes('wor') && stdin.write(`${ctrlC}go on\r${ctrlD}`),
    onStderr: (text) => text.includes('/help') && setImmediate(() => stdin.write('hi\r')),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello, wor\nld\n' });
  expect(stderr).toContain('stopped after about 3 output tokens, which may have been charged');
  expect(stderr).toContain('this session cost at least 0.00 RUB');
  expect(sentIn(requests)[1]?.messages).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Hello, wor' },
    { role: 'user', content: 'go on' },
  ]);
});

it.each([
  ['/model local/guide', 'model: local/guide'],
  ['/model local/gide', 'error: no model is called "local/gide"; did you mean local/guide?'],
  ['/system', 'system prompt: none'],
  ['/system Be brief.', 'system prompt: "Be brief."'],
  ['/attach nothing.png', 'error: there is no file "nothing.png"'],
  ['/cost', 'session 0.00 RUB · conversation 0.00 RUB · balance 1,000.00 RUB'],
  ['/tokens', 'error: the conversation is empty'],
  ['/undo', 'error: there is nothing to undo'],
  ['/retry', 'error: there is no question to ask again'],
  ['/copy', 'error: there is no answer to copy'],
  ['/load nothing', 'error: there is no conversation "nothing"'],
  ['/load', 'error: /load needs a name or an id'],
  ['/save', 'error: /save needs a name'],
  ['/search "cats', 'before your next question, svc will search the web for: "cats'],
  ['/save  My plan: e\u0301te\u0301', 'the conversation is now called My plan: été'],
  ['/save c1', 'error: /save: a name starts with a letter or digit'],
  ['/modle', 'error: there is no command /modle; did you mean /model?'],
  ['/usr/bin', 'error: there is no command /usr/bin'],
  [`/mo${tab}local/ec${tab} `, 'model: local/echo'],
])('a command in a session %s answers "%s"', async (typed, answer) => {
  const { said, stdout } = await session('', [typed, '']);
  expect(said[1]).toMatch(new RegExp(`^${answer.replace(/[.?[\]/]/g, '\\$&')}`));
  expect(stdout).toBe('');
});

it('a command in a session ends an answer with as few lines of figures as hold them whole', async () => {
  const { said } = await session('', ['hello'], { columns: 50, env: { SVC_BUDGET: '300' } });
  expect(said.slice(2, 4)).toEqual([
    'local/echo · 2 in, 2 out tokens · 0.00008 RUB',
    'balance 1,000.00 RUB · budget 300.00 RUB left',
  ]);
});

it('a command in a session names a conversation and loads another, whose last exchange is shown', async () => {
  const { home } = await session('', ['one', '/save tale', '/exit', 'never sent']);
  const { said, stdout } = await session('', ['two', '/load tale', '/retry'], { home });
  expect(stdout).toBe('two\none\none\n');
  expect(said.slice(2)).toEqual([
    'local/echo · tale',
    'local/echo · 1 in, 1 out tokens · 0.00004 RUB · balance 1,000.00 RUB',
    'this session cost 0.00008 RUB',
    'to continue: svc --local chat --conversation tale',
  ]);
  const loaded = await session('', ['three', '/load c2'], { home });
  expect(loaded.said.at(-1)).toBe('to continue: svc --local chat --conversation c2');
  const typed = [
    ['/help', `/load t${tab}`],
    ['/load tale ', `${ctrlC}/load ${tab}`],
    ['tale  one', ctrlC + ctrlD],
  ] as const;
  const { stderr } = await run('--local chat -i', { tty: true, home, typed });
  expect(stderr).toMatch(/tale {2}one[^]*c2 {2}two/);
  const other = await session('', ['/save tale'], { home });
  expect(other.said[1]).toBe('error: the name tale is taken');
  const unkept = await session('--no-log', ['one', '/save it', '/tokens'], { home });
  expect(unkept.said.slice(2)).toEqual([
    'error: the conversation is not logged, so it cannot be named',
    'about 2 tokens',
    'this session cost 0.00004 RUB',
  ]);
});

it('svc chat -i -c shows the last question without its search, and renders its answer', async () => {
  const found = json({ results: [{ title: 'T', url: 'https://e.org', snippet: 'S' }] });
  const { talk } = await served(found, says('**one** two\n'));
  const { home } = await talk(['/search cats', `what?${'\\\rmore'.repeat(12)}`]);
  const again = await talk(['/load c1'], { home, colour: true, line: 'chat -i -c' });
  expect(again.stdout).toBe('\u001b[1mone\u001b[22m two\n'.repeat(2));
  const question = ['> what?', ...Array<string>(9).fill('… more'), '… …'];
  const lines = await shown([again.stderr], { columns: 90 });
  expect(lines.slice(0, 13)).toEqual(['v · c1 · /help lists the commands', '', ...question]);
});

it('svc chat -i -c shows the last question without a search that found nothing', async () => {
  const { talk } = await served(json({ results: [] }), says('one\n'));
  const { home } = await talk(['/search "cats"', 'what?']);
  const { stderr } = await talk([], { home, line: 'chat -i -c' });
  expect(stderr).toMatch(/^> what\?$/m);
});

it('a command in a session copies an answer, or its first block of code, through the terminal', async () => {
  const { talk } = await served(says('Run:\n```sh\nls\n```\n'));
  const { stderr } = await talk(['how?', '/copy code', '/copy']);
  const copied = [...stderr.matchAll(/\u001b\]52;c;([^\u0007]*)\u0007/g)];
  const texts = copied.map(([, base64 = '']) => Buffer.from(base64, 'base64').toString());
  expect(texts).toEqual(['ls\n', 'Run:\n```sh\nls\n```\n']);
});

it('a command in a session lists them all', async () => {
  const { stdout } = await session('', ['/help']);
  const names = [...stdout.matchAll(/^\/(\w+)/gm)].map(([, name]) => name);
  const all = 'model system attach search retry edit undo copy save load cost tokens help exit';
  expect(names).toEqual(all.split(' '));
  const russian = await session('', ['/help'], { env: { SVC_LANG: 'ru' } });
  expect(russian.stdout).toMatch(/^\/undo +убрать последний вопрос и ответ на него$/m);
  const rows = russian.stdout.trimEnd().split('\n');
  expect(rows.filter((row) => !/^\/[a-z]+( \S+)? +[а-я]/.test(row))).toEqual([]);
  expect(rows).toHaveLength(names.length);
  expect(russian.said.join(' ')).toContain('Ctrl-C останавливает ответ');
});

const path = (home: string) => join(home, 'data/chat-history.json');

it('what was typed is there in the next session, without secrets, and readable only for its owner', async () => {
  const { home } = await session('', ['"""\rtwo\rlines"""', 'key sk-svc-0123456789']);
  expect(readFileSync(path(home), 'utf8')).toBe('["two\\nlines","key [key]"]\n');
  expect(statSync(path(home)).mode & 0o777).toBe(0o600);
  await session('', ['/exit'], { home });
  expect((await session('', ['\u001b[A\u001b[A'], { home })).stdout).toBe('two\nlines\n');
});

it('what was typed is the last thousand texts', async () => {
  const { home } = await session('', ['x']);
  const many = Array.from({ length: 2001 }, (_, index) => String(index));
  writeFileSync(path(home), JSON.stringify(many));
  await session('', ['new'], { home });
  const stored: unknown = JSON.parse(readFileSync(path(home), 'utf8'));
  expect(stored).toEqual([...many.slice(-999), 'new']);
});

it.each([
  ['--no-log', {}],
  ['', { SVC_LOG: 'off' }],
])('what was typed is not kept with %s %o', async (flags, env) => {
  const { home, stdout } = await session(flags, ['x'], { env });
  expect(stdout).toBe('x\n');
  expect(existsSync(path(home))).toBe(false);
});

it.each([{}, { stdin: true }, { stdin: true, stderr: true }, { stdin: true, stdout: true }])(
  'svc chat -i is refused without a terminal: %o',
  async (tty) => {
    const result = await run('--local chat -i hi', { tty });
    const hint = 'hint: without one: svc --local chat -c "your question"\n';
    const stderr = `error: a session needs a terminal\n${hint}`;
    expect(result).toMatchObject({ code: 2, stdout: '', stderr });
  },
);
