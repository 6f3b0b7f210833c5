/** Every command that starts a program: none of them gets a secret that it does not need. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

const login = 'jane:p/w@rd@';
const address = (user: string) => `http://${user}proxy.example:3128`;
const proxies = ['HTTPS_PROXY', 'http_proxy', 'npm_config_https_proxy'];
const secrets = { SVC_API_KEY: 'sk-svc-0123456789', SVC_SESSION: 'sid=0123456789' };

/** Runs one line after others; each program writes its environment down. */
async function environmentOf(lines: readonly string[], more: Record<string, string> = {}) {
  const folder = testFolder();
  const written = join(folder, 'written');
  const program = `#!/bin/sh\nenv > '${written}.part'; mv '${written}.part' '${written}'\n`;
  const names = ['mpv', 'xdg-open', 'open', 'tmux', 'editor', 'shell', 'key', 'svc-demo', 'server'];
  for (const name of names) writeFileSync(join(folder, name), program, { mode: 0o755 });
  const key_command = join(folder, 'key');
  const home = homeWith({ profiles: { kept: { base_url: 'http://127.0.0.1:1', key_command } } });
  for (const name of ['tools', 'templates']) mkdirSync(join(home, name));
  writeFileSync(join(home, 'templates/one.yaml'), 'prompt: hi');
  const tool = JSON.stringify({ argv: [join(folder, 'server')] });
  writeFileSync(join(home, 'tools/weather.json'), tool);
  const given = Object.fromEntries(proxies.map((name) => [name, address(login)]));
  const env = {
    ...{ PATH: `${folder}:/usr/bin:/bin`, VISUAL: 'editor', ...given, ...secrets, ...more },
    ...{ SVC_LOCAL_JOB_TIME: '1ms', HOME: home },
  };
  for (const line of lines) {
    await run(line.replaceAll('F/', `${folder}/`), { home, env, tty: /open|doctor/.test(line) });
  }
  await vi.waitFor(() => expect(existsSync(written)).toBe(true), 20_000);
  return readFileSync(written, 'utf8').split('\n');
}

const job = '--local generate local/canvas x --opt quality=draft -o F/a.png';

it
  .skipIf(process.platform === 'win32')
  .each<[what: string, lines: readonly string[], isWhole: boolean, more?: Record<string, string>]>([
    ['a tool', ['--local chat -m local/echo --tool weather --approve always weather'], false],
    ['an MCP server', ['--local chat -m local/echo --mcp server hi'], false],
    ['jobs wait --exec', [job, '--local jobs wait @last --exec server'], true],
    ['do --run', ['--local do --run --yes --shell F/shell "find the largest files"'], true],
    ['an editor', ['--local templates edit one'], true],
    ['a key_command', ['--profile kept balance'], true, { SVC_API_KEY: '' }],
    ['a viewer', [job, '--local open @last'], true],
    ['a player', ['--local speak hi --play -o F/hi.mp3'], true],
    ['tmux', ['--local doctor'], true, { TMUX: '/tmp/tmux' }],
  ])('%s gets no key, and a proxy as it needs it', async (_, lines, isWhole, more) => {
  const environment = await environmentOf(lines, more);
  const names = environment.map((line) => line.split('=')[0]);
  expect(names.filter((name = '') => name in secrets)).toEqual([]);
  const own = proxies.map((name) => `${name}=${address(isWhole ? login : '')}`);
  expect(environment).toEqual(expect.arrayContaining(own));
});

it.skipIf(process.platform === 'win32')('a tool gets no password within another URL', async () => {
  const line = '--local chat -m local/echo --tool weather --approve always weather';
  const more = { SHOP_URL: 'postgres://jane:secret@db.example/shop?a@b', HOST_PAT: 'ghp_0123' };
  const environment = await environmentOf([line], more);
  expect(environment).toContain('SHOP_URL=postgres://db.example/shop?a@b');
  expect(environment.filter((one) => /secret|ghp_/.test(one))).toEqual([]);
});

it.skipIf(process.platform === 'win32')('a program svc-NAME gets all that svc has', async () => {
  const environment = await environmentOf(['demo']);
  const all = Object.entries(secrets).map(([name, value]) => `${name}=${value}`);
  expect(environment).toEqual(expect.arrayContaining(all));
});
