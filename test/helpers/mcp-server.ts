/** A program that speaks MCP, for `svc chat --mcp`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from './folder.js';

/** A server that answers each method by what these expressions say of `message`; 0 is no answer. */
export function mcpServer(answers: Readonly<Record<string, string>>, first = ''): string {
  const path = join(testFolder(), 'server.cjs');
  const initialize = `{ ...message.params, serverInfo: { name: 'fake', version: '1' } }`;
  const known = Object.entries({ initialize, ...answers });
  const code = `${first}
    const answers = { ${known.map(([name, value]) => `'${name}': (message) => (${value})`).join()} };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      const result = answers[message.method]?.(message);
      if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result.error ? result : { result }) }));
    });`;
  writeFileSync(path, code);
  return `'${process.execPath}' '${path}'`;
}

/** The answer to tools/list with tools of these names. */
export const offers = (...names: string[]) =>
  `{ tools: ${JSON.stringify(names.map((name) => ({ name, inputSchema: { type: 'object' } })))} }`;
