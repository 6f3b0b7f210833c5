/** What a program of svc run can find out: the account's key is only where it is stored. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { keys } from '../service/helpers.js';
import { start, svc } from './svc.js';

const key = keys.sandbox;

/** As it is, and what base64 makes of it wherever it stands. */
const forms = [0, 1, 2].flatMap((at) => {
  const base64 = Buffer.from('x'.repeat(at) + key).toString('base64');
  return [key, base64.slice(at === 0 ? 0 : at + 1, -4)];
});

const holdsKey = (text: string) => forms.some((form) => text.includes(form));

/** The files below a folder that hold the key. */
function filesWithKey(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => holdsKey(readFileSync(path, 'latin1')))
    .map((path) => relative(folder, path));
}

/** Prints what it is told, what the system tells of svc, what it is answered, and all files of the run. */
const curious = `
  const fs = require('node:fs');
  const { join } = require('node:path');
  const read = (path) => { try { return fs.readFileSync(path, 'latin1'); } catch { return ''; } };
  const all = (folder) => fs.readdirSync(folder, { recursive: true }).map((name) => name + read(join(folder, name)));
  const ask = async (path, body, headers = {}) => {
    const own = { 'x-api-key': process.env.ANTHROPIC_API_KEY, 'content-type': 'application/json', ...headers };
    const answer = await fetch(process.env.SVC_BASE_URL + path, { method: body ? 'POST' : 'GET', headers: own, body });
    return [answer.status, [...answer.headers].join(), await answer.text()];
  };
  (async () => {
    const messages = [{ role: 'user', content: 'hi' }];
    const body = JSON.stringify({ model: 'local/echo', max_tokens: 9, messages });
    const answers = [
      await ask('/v1/chat/completions', body),
      await ask('/v1/messages', body),
      await ask('/v1/chat/completions', '{'),
      await ask('/v1/models'),
      await ask('/v1/balance'),
      await ask('/v1/balance', undefined, { 'x-api-key': 'wrong' }),
      await ask('/nowhere'),
    ];
    const told = [process.env, process.argv, process.execArgv];
    const { ppid } = process;
    const system = ['/proc/self/environ', '/proc/' + ppid + '/environ', '/proc/' + ppid + '/cmdline'].map(read);
    const files = all(process.env.TMPDIR);
    fs.writeFileSync('seen.json', JSON.stringify({ answers, told, system, files }));
  })();`;

it('a program finds the key of the account nowhere but in the file that keeps it', async () => {
  const serving = await start(['serve', '--port', '0', '--memory']);
  await serving.shows('\n');
  const [home, cwd] = [testFolder(), testFolder()];
  const [temporary, url] = [join(home, 'tmp'), serving.stdout().toString().trim()];
  mkdirSync(temporary);
  const env = { SVC_CONFIG_DIR: home, TMPDIR: temporary };
  const login = ['login', '--with-key', '--store', 'file', '--base-url', url];
  expect(await svc(login, { env, stdin: key })).toMatchObject({ code: 0 });
  const words = [
    '-v',
    'run',
    '--max-cost',
    '5',
    '--record',
    'tape.jsonl',
    '--report',
    'report.json',
  ];
  const ended = await svc([...words, '--', process.execPath, '-e', curious], { env, cwd });
  expect(ended).toMatchObject({ code: 0 });
  const seen = readFileSync(join(cwd, 'seen.json'), 'utf8');
  // It has really seen the environment of svc, where that can be read, and its folder.
  expect(seen.includes(`SVC_CONFIG_DIR=${home}\\u0000`)).toBe(process.platform === 'linux');
  expect(seen).toContain('"svc-run-');
  expect([holdsKey(seen), holdsKey(ended.stderr)]).toEqual([false, false]);
  expect(filesWithKey(cwd)).toEqual([]);
  expect(filesWithKey(home)).toEqual(['config.json']);
});
