import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';
import { program } from '../../test/bin/package.js';

const run = promisify(execFile);

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
  expect(await inspect('--method', 'tools/call', '--tool-name', 'balance')).toEqual({
    content: [{ type: 'text', text: '{"balance_rub":1000,"currency":"RUB"}' }],
    isError: false,
  });
}, 180_000);
