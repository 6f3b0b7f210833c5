import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { program } from '../../test/bin/package.js';
import { installed, skipWithout } from './agents.js';

const run = promisify(execFile);

const money = { balance_rub: 1000, currency: 'RUB' };
const balance = {
  content: [{ type: 'text', text: JSON.stringify(money) }],
  structuredContent: money,
  isError: false,
};
const says = (words: string, isError: boolean) => ({
  content: [{ type: 'text', text: expect.stringContaining(words) }],
  isError,
});

test('the official inspector lists the tools of svc mcp and calls them', async () => {
  const cwd = testFolder();
  // It needs a newer Node than svc does.
  await run('npm', ['install', '--no-save', 'node@latest', '@modelcontextprotocol/inspector'], {
    cwd,
  });
  const bin = join(cwd, 'node_modules/node/bin');
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: cwd,
    SVC_CONFIG_DIR: cwd,
  };
  const server = [...(await program()), '--local', 'mcp'];
  const inspect = async (...words: string[]): Promise<unknown> => {
    const argv = ['node_modules/.bin/mcp-inspector', '--cli', ...server, ...words];
    const { stdout } = await run(join(bin, 'node'), argv, { cwd, env });
    return JSON.parse(stdout);
  };
  const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['chat', 'generate', 'image_create', 'balance']),
  );
  const call = ['--method', 'tools/call', '--tool-name'];
  expect(await inspect(...call, 'balance')).toEqual(balance);
  expect(await inspect(...call, 'models_show', '--tool-arg', 'id=nothing')).toEqual(
    says('"code":"unknown_model"', true),
  );
}, 180_000);

test("the client of the SDK's version 2 calls svc mcp in the revision before the newest, and asks its user", async (test) => {
  skipWithout('@modelcontextprotocol/client')(test);
  const client = join(installed, '@modelcontextprotocol/client');
  const words = [join(import.meta.dirname, 'mcp-sdk-2.mjs'), client, ...(await program())];
  const env = { PATH: process.env['PATH'], HOME: testFolder() };
  const { stdout } = await run(process.execPath, [...words, '--local', 'mcp', '--ask-above', '0'], {
    env,
  });
  expect(JSON.parse(stdout)).toEqual({
    version: '2025-11-25',
    tools: expect.arrayContaining(['chat', 'balance']),
    balance,
    refused: says('models_show needs', true),
    unknown: -32602,
    questions: Array(2).fill(expect.stringMatching(/^chat .* may cost up to .* RUB/)),
    unsaid: says('nothing was spent', true),
    said: says('"priceRub":0.00004', false),
  });
}, 60_000);
