/** What of Windows can be tried elsewhere: the process is told that it runs there. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { start, svc, talkative } from './svc.js';

function onWindows() {
  const told = join(testFolder(), 'windows.cjs');
  writeFileSync(told, `Object.defineProperty(process, 'platform', { value: 'win32' });`);
  return ['--require', told];
}

test('a signal ends svc on Windows with the exit code of other systems', async () => {
  const { env } = await talkative();
  const chat = await start(['chat', '-m', 'm', 'hi'], { nodeFlags: onWindows(), env });
  chat.child.stdin.end();
  await chat.shows('begun');
  chat.child.kill('SIGTERM');
  expect(await chat.ended).toMatchObject({ code: 143, signal: null, stdout: 'begun\n' });
});

test('compiled code is kept on Windows where other caches are', async () => {
  const home = testFolder();
  const env = { LOCALAPPDATA: home, SVC_CONFIG_DIR: undefined };
  await svc(['config', 'path'], { nodeFlags: onWindows(), env });
  expect(readdirSync(join(home, 'svc/Cache'))).toEqual([expect.stringMatching(/^code-/)]);
});
