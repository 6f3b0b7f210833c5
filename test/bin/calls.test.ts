/** What svc connects to: nothing at home, only the service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { words } from '../helpers/run.js';
import { shareCompiledCode } from './package.js';
import { svc } from './svc.js';

/** Loaded before svc: notes each name that is looked up, and each address that is connected to. */
const watch = `
const { appendFileSync } = require('node:fs');
const note = (...parts) => appendFileSync(process.env.CALLS, parts.join(' ') + '\\n');
const { Socket } = require('node:net');
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (...args) {
  const [{ host, path, port }] = Array.isArray(args[0]) ? args[0] : args;
  note('connect', path ?? host + ':' + port);
  return connect.apply(this, args);
};
const { Socket: Datagrams } = require('node:dgram');
for (const name of ['send', 'connect']) Datagrams.prototype[name] = () => note('datagram');
const dns = require('node:dns');
for (const place of [dns, dns.promises]) {
  for (const name of Object.keys(place).filter((one) => /^(lookup|resolve|reverse)/.test(one))) {
    const look = place[name];
    place[name] = function (...args) {
      note('look up', args[0]);
      return look.apply(this, args);
    };
  }
}`;

/** The calls of each of these lines, run after one another in one home. */
async function callsOf(lines: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const home = testFolder();
  await shareCompiledCode(home);
  const file = join(home, 'watch.cjs');
  const CALLS = join(home, 'calls');
  writeFileSync(file, watch);
  const calls: [line: string, exit: number | null, calls: string[]][] = [];
  for (const line of lines) {
    writeFileSync(CALLS, '');
    const own = { SVC_CONFIG_DIR: home, CALLS, ...env };
    const { code } = await svc(words(line), { env: own, nodeFlags: ['--require', file] });
    const made = readFileSync(CALLS, 'utf8').split('\n').filter(Boolean);
    calls.push([line, code, [...new Set(made)]]);
  }
  return calls;
}

it('connects to nothing where no service is needed, and looks up no name', async () => {
  const lines = [
    '--version',
    '--help',
    'help chat',
    'help errors --json',
    'completion bash',
    '__complete -- models sh',
    'update --json',
    'config set base_url https://service.test',
    'config list',
    'config path',
    'alias list',
    'templates list',
    'logs list',
    'budget',
    'logout',
    'open docs',
    'chat hi --dry-run -m vendor/model --base-url https://service.test',
    '--local doctor',
    '--local chat -m local/echo hi',
    '--local balance',
    '--local models list',
    '--local jobs list',
    '--local usage list',
  ];
  const made = await callsOf(lines, { SVC_API_KEY: fakeKey });
  expect(made).toEqual(lines.map((line) => [line, 0, []]));
  expect(await callsOf(['doctor', 'balance', 'nonsense'])).toEqual([
    ['doctor', 4, []],
    ['balance', 4, []],
    ['nonsense', 2, []],
  ]);
}, 60_000);

it('connects only to the base URL', async () => {
  const { env, origin } = await fakeService(json({ balance_rub: 1, data: [] }));
  const calls = [`connect ${new URL(origin).host}`];
  const lines = ['balance', 'models list', 'keys list', 'whoami'];
  expect(await callsOf([...lines, 'doctor'], env)).toEqual([
    ...lines.map((line) => [line, 0, calls]),
    ['doctor', 0, ['look up 127.0.0.1', ...calls]],
  ]);
});
