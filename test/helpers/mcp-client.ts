import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  ElicitRequestSchema,
  type ClientCapabilities,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';
import { parsedJson, recordOf } from '../../src/lib/json.js';
import { testFolder } from './folder.js';
import { run, type RunOptions } from './run.js';

interface ClientOptions extends Omit<RunOptions, 'stdin' | 'onStdout'> {
  /** Options of svc before `mcp`, in place of --local. */
  readonly before?: string;
  /** What it declares with `onQuestion`. */
  readonly elicitation?: ClientCapabilities['elicitation'];
  /** Answers each question to the user. */
  readonly onQuestion?: (
    message: string,
    signal: AbortSignal,
  ) => ElicitResult | Promise<ElicitResult>;
}

/** Starts `svc --local mcp` in this process and connects the official client to it. */
export async function startMcp(line = '', given: ClientOptions = {}) {
  const { before = '--local', onQuestion, elicitation = {}, ...options } = given;
  const home = options.home ?? testFolder();
  const [toServer, fromServer] = [new PassThrough(), new PassThrough()];
  const onStdout = (text: string) => fromServer.write(text);
  const ended = run(`${before} mcp ${line}`, { ...options, home, stdin: toServer, onStdout });
  const capabilities = onQuestion ? { elicitation } : {};
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (onQuestion)
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) =>
      onQuestion(params.message, signal),
    );
  // Its lines are the same in both directions.
  await client.connect(new StdioServerTransport(fromServer, toServer));
  onTestFinished(async () => {
    toServer.end();
    await ended;
  });
  const call = async (name: string, given = {}, more: Parameters<Client['callTool']>[2] = {}) => {
    const request = { name, arguments: given };
    return resultOf(await client.callTool(request, undefined, more));
  };
  return { call, client, ended, home, toServer };
}

/** A result: its first text as JSON, its images, and its texts as they are. */
export function resultOf({ content, isError }: Awaited<ReturnType<Client['callTool']>>) {
  const parts = [content].flat().map(recordOf);
  const [json = {}, ...more] = parts.flatMap(({ text }) =>
    typeof text === 'string' ? [recordOf([parsedJson(text)].flat()[0])] : [],
  );
  const images = parts.filter(({ type }) => type === 'image');
  const texts = parts.map(({ text }) => text);
  return { json, more, images, texts, isError: isError === true };
}
