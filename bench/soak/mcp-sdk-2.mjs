/**
 * The client of the MCP SDK's version 2, which asks for the newest revision before an older one:
 * `node mcp-sdk-2.mjs CLIENT COMMAND…` prints what a server answers. CLIENT is the folder of the package.
 */
import process from 'node:process';

const [from = '', command = '', ...args] = process.argv.slice(2);
const { Client } = await import(`${from}/dist/index.mjs`);
const { StdioClientTransport } = await import(`${from}/dist/stdio.mjs`);
const client = new Client(
  { name: 'test', version: '1' },
  { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
);
const questions = [];
client.setRequestHandler('elicitation/create', ({ params }) => {
  questions.push(params.message);
  return { action: 'accept', content: { ok: questions.length > 1 } };
});
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const call = (name, given = {}) => client.callTool({ name, arguments: given });
const version = client.getNegotiatedProtocolVersion();
const tools = (await client.listTools()).tools.map(({ name }) => name);
const [balance, refused] = [await call('balance'), await call('models_show')];
const unknown = await call('nothing').catch(({ code }) => code);
const ask = () => call('chat', { prompt: 'hi', model: 'local/echo' });
const [unsaid, said] = [await ask(), await ask()];
await client.close();
console.log(JSON.stringify({ version, tools, balance, refused, unknown, questions, unsaid, said }));
