import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { fails, run, type RunOptions } from '../../helpers/run.js';

const largest = 'find . -type f -exec du -h {} + | sort -rh | head -n 10';

/** A service whose model answers with this text, or with this command as JSON. */
async function answering(answer: string | object, refuses?: string) {
  const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const service = await fakeService(({ body }, response) => {
    const isRefused = refuses !== undefined && body.includes(refuses);
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
    const error = { message: `unknown field ${refuses}`, type: 'invalid_request_error' };
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    response.end(JSON.stringify(isRefused ? { error } : { choices }));
  });
  const sent = () => service.requests.map(({ body }) => recordOf(JSON.parse(body)));
  const svc = (words: string | readonly string[], options: RunOptions = {}) =>
    run(words, { ...options, env: { ...service.env, SVC_MODEL: 'vendor/chat', ...options.env } });
  return { sent, svc };
}

/** A shell that notes its command and ends with 7. */
function notingShell() {
  const [shell, note] = [join(testFolder(), 'noting'), join(testFolder(), 'note')];
  writeFileSync(shell, `#!/bin/sh\nprintf %s "$2" > '${note}'\nexit 7\n`, { mode: 0o755 });
  return { shell, noted: () => (existsSync(note) ? readFileSync(note, 'utf8') : undefined) };
}

it('prints the command alone; what it does and its risk go to stderr', async () => {
  const expected = 'lists the ten largest files below this folder\nrisk: reads only\n';
  const piped = await run('--local do "find the largest files"');
  expect({ ...piped, stdoutBytes: 0 }).toEqual({
    ...{ code: 0, stdout: `${largest}\n`, stderr: expected, stdoutBytes: 0 },
  });
  const shown = await run('--local do find the largest files', { tty: true });
  expect(shown.stdout).toBe(`${largest}\n`);
  expect(shown.stderr).toMatch(/risk: reads only\n0\.\d+ RUB · balance [\d,.]+ RUB\n$/);
  const { stderr } = await run('--local do -q "delete temporary files"');
  expect(stderr).toBe('risk: destroys data\n');
});

it('gives the command, its risk and its price as JSON', async () => {
  const { stdout, stderr } = await run('--local do --json "find the largest files"');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    command: largest,
    explanation: 'lists the ten largest files below this folder',
    risk: 'reads only',
    cost: { priceRub: expect.any(Number) as number },
  });
});

it('names the shell and the system, and sends piped text as context for a -', async () => {
  const { sent, svc } = await answering({
    command: 'ls',
    explanation: 'lists',
    risk: 'reads only',
  });
  await svc('do - "fix this"', { stdin: 'error: no such file\n', env: { SHELL: '/usr/bin/fish' } });
  await svc('do x --shell zsh', { stdin: 'of a loop', env: { SHELL: '/usr/bin/fish' } });
  const [first, second] = sent().map(({ messages }) => JSON.stringify(messages));
  expect(first).toContain(`for fish on ${process.platform}`);
  expect(first).toContain('"error: no such file\\n\\nfix this"');
  expect(second).toContain(`for zsh on ${process.platform}`);
  expect(second).toContain('"content":"x"');
  expect(JSON.stringify(sent()[0]?.['response_format'])).toContain('"name":"shell_command"');
});

it('raises the risk that the model names', async () => {
  const { svc } = await answering({ command: 'rm -rf build', explanation: '', risk: 'reads only' });
  expect((await svc('do x')).stderr).toBe('risk: destroys data\n');
});

it('asks in words alone where structured answers are refused', async () => {
  const { sent, svc } = await answering('Here: {"command": "ls -l"}', 'response_format');
  const { stdout, stderr } = await svc('do "list files"');
  expect({ stdout, stderr }).toEqual({ stdout: 'ls -l\n', stderr: 'risk: changes files\n' });
  expect(sent().map((body) => 'response_format' in body)).toEqual([true, false]);
});

it.each([
  ['I cannot help with that.', 'the model gave no command'],
  [{ command: ' ', explanation: 'needs a name', risk: 'x' }, 'gave no command: needs a name'],
  [{ command: 'ls\u202e', risk: 'x' }, 'the command contains hidden characters: ls\\u{202e}'],
  [{ command: 'ls\nrm -rf ~' }, 'hidden characters: ls\\u{a}rm -rf ~'],
  [{ command: `echo $'\\''\nrm ~ #'` }, `hidden characters: echo $'\\''\\u{a}rm ~ #'`],
  [{ command: 'ls\u00a0-l' }, 'ls\\u{a0}-l'],
  [{ command: 'ls\u001b[2K' }, 'ls\\u{1b}[2K'],
  [{ command: 'ls \u3164a\ufe0f\u{e0100}' }, 'ls \\u{3164}a\\u{fe0f}\\u{e0100}'],
])('refuses %j', async (answer, message) => {
  const { svc } = await answering(answer);
  expect(await svc('do x')).toMatchObject(fails(3, message));
});

it('keeps a line feed within quotes', async () => {
  const command = `printf '%s\n' "a\tb"`;
  const { svc } = await answering({ command, explanation: '', risk: 'reads only' });
  expect((await svc('do x')).stdout).toBe(`${command}\n`);
});

it('does not run anything without a question, and sends nothing for that', async () => {
  const { sent, svc } = await answering({ command: 'ls' });
  const { code, stderr } = await svc('do --run x', { stdin: 'context' });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'error: cannot ask before --run without a terminal\nhint: omit --run to print the command; --yes runs it without a question\n',
  );
  expect(sent()).toEqual([]);
});

it('runs the command with --yes, and ends with its exit code', async () => {
  const { shell, noted } = notingShell();
  const line = ['--local', 'do', '--run', '--yes', '--shell', shell, 'largest', 'files'];
  const { code, stdout, stderr } = await run(line);
  expect({ code, stdout, noted: noted() }).toEqual({ code: 7, stdout: '', noted: largest });
  expect(stderr).toContain(`${largest}\nlists the ten largest`);
});

it.each([
  ['delete temporary files', 'destroys data', "find . -name '*.tmp' -delete"],
  ['update the package list', 'runs as root', 'sudo apt-get update'],
])('--yes does not run what is dangerous: %s', async (words, risk, command) => {
  const { shell, noted } = notingShell();
  const line = ['--local', 'do', '--run', '--yes', '--shell', shell, words];
  const { code, stdout, stderr } = await run(line);
  expect({ code, stdout, noted: noted() }).toEqual({ code: 2, stdout: `${command}\n` });
  expect(stderr).toContain(`error: --yes does not run a command that ${risk}\n`);
});

it('asks on a terminal: no is the default, and the command can be edited', async () => {
  const { shell, noted } = notingShell();
  const line = ['--local', 'do', '--run', '--shell', shell, 'list the largest files'];
  const refused = await run(line, { tty: true, typed: [['Run it?', '\r']] });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('error: nothing was run\n');
  expect(noted()).toBeUndefined();
  const accepted = await run(line, { tty: true, typed: [['Run it?', '\u001b[B\r']] });
  expect({ code: accepted.code, noted: noted() }).toEqual({ code: 7, noted: largest });
  const typed = [
    ['Run it?', '\u001b[B\u001b[B\r'],
    ['Command', '\u0015rm -r old\r'],
    ['risk: destroys data', ''],
    ['Run it?', '\u001b[B\r'],
  ] as const;
  const edited = await run(line, { tty: true, typed });
  expect({ code: edited.code, noted: noted() }).toEqual({ code: 7, noted: 'rm -r old' });
});
