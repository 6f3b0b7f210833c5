/**
 * A program with the AI SDK: `node ai-sdk.mjs CLIENT MODEL PROMPT COMMAND…` asks a model with the tools of
 * the server of MCP that the command starts, and prints the answer. CLIENT is the address of @ai-sdk/mcp.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';
import process from 'node:process';

const [client = '', model = '', prompt = '', command = '', ...args] = process.argv.slice(2);
const { experimental_createMCPClient: createMCPClient } = await import(`${client}/dist/index.mjs`);
const { Experimental_StdioMCPTransport: Transport } = await import(
  `${client}/dist/mcp-stdio/index.mjs`
);
const transport = new Transport({ command, args, env: process.env });
const server = await createMCPClient({ transport });
try {
  const { text } = await generateText({
    model: createOpenAI()(model),
    prompt,
    tools: await server.tools(),
    stopWhen: stepCountIs(10),
  });
  console.log(text);
} finally {
  await server.close();
}
