/** The tools of an MCP server, a program that svc starts and ends. Nothing of it is trusted. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  ErrorCode,
  JSONRPCMessageSchema,
  ListToolsResultSchema,
  McpError,
  type CallToolResult,
  type Tool as Listed,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import { LocalFileError, UsageError } from '../errors.js';
import { lineBlocks } from '../files/lines.js';
import { formatBytes } from '../lib/amounts.js';
import { wordsIn } from '../lib/names.js';
import { childEnv, type Env } from '../lib/env.js';
import { isRecord, listOf, parsedJson, recordOf, toJson } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { startProgram, stopProgram } from './child.js';
import type { Tool, ToolResult } from './tool.js';

// The SDK sets other messages for all schemas.
z.config({ localeError: undefined });

export interface McpOptions {
  readonly env: Env;
  /** Ends the start. */
  readonly signal: AbortSignal;
  /** Names of other tools; an equal name gets that of the server before it. */
  readonly taken?: ReadonlySet<string>;
  readonly limits?: Partial<typeof usualLimits>;
}

/** A server that has been started. */
export interface McpServer {
  readonly tools: readonly Tool[];
  /** Whether it still answers. */
  readonly isOpen: () => boolean;
  /** Ends it with its children. */
  readonly end: () => Promise<void>;
}

/** A start may download a package first. */
const usualLimits = { startMs: 60_000, callMs: 300_000, endMs: 500 };
const requestTimeout: number = ErrorCode.RequestTimeout;
const max = { lineBytes: 4 * 2 ** 20, textBytes: 64 * 1024, tools: 128, waiting: 2 ** 20 };
/** How long the descriptions of one tool and of all may be: each question pays for them. */
const maxDescription = { tool: 32_000, list: 128_000 };

/**
 * Starts a server from its command line and reads its tools; `end` ends it with its children.
 * @throws UsageError for a command line that cannot be read, LocalFileError for a server without tools
 */
export async function connectMcp(commandLine: string, options: McpOptions): Promise<McpServer> {
  const { env, signal, taken } = options;
  const limits = { ...usualLimits, ...options.limits };
  const words = await programIn(commandLine);
  signal.throwIfAborted();
  const client = new Client({ name: 'svc', version: '1' });
  let server: ReturnType<typeof started> | undefined;
  const reasonOf = (error: unknown, ms: number) => {
    if (error instanceof McpError && error.code === requestTimeout)
      return `no answer in ${ms / 1000} s`;
    const isOther = !(error instanceof Error) || 'issues' in error;
    const words = isOther ? 'its answer does not follow MCP' : error.message;
    return plainText(server?.fault() ?? words.replace(/^MCP error -?\d+: /, ''), 300);
  };
  try {
    server = started(words, env, limits.endMs);
    const { transport } = server;
    const starting = () => within(signal, limits.startMs);
    await client.connect(transport, starting());
    const names = new Set(taken);
    const tools = (await listedBy(client, starting)).map((listed): Tool => {
      const name = freeName(listed.name, client.getServerVersion()?.name ?? 'mcp', names);
      names.add(name);
      const run: Tool['run'] = async (values, stopped) => {
        const request = { method: 'tools/call', params: { name: listed.name, arguments: values } };
        const how = within(stopped, limits.callMs);
        try {
          return resultOf(await client.request(request, CallToolResultSchema, how));
        } catch (error) {
          stopped.throwIfAborted();
          return { text: reasonOf(error, limits.callMs), isError: true };
        }
      };
      const description = listed.description?.slice(0, 2000);
      return { name, description, parameters: listed.inputSchema, run };
    });
    assertShort(tools);
    return { tools, end: () => transport.close(), isOpen: () => client.transport !== undefined };
  } catch (error) {
    const reason = reasonOf(error, limits.startMs);
    await server?.transport.close();
    signal.throwIfAborted();
    const complaint = plainText(server?.complaints() ?? '', 300);
    // Its options may hold a secret.
    const program = words.slice(0, words[1]?.startsWith('-') ? 1 : 2).join(' ');
    const message = `the MCP server ${plainText(program, 100)} failed: ${reason}`;
    throw new LocalFileError(complaint === '' ? message : `${message}: ${complaint}`, {
      code: 'mcp_server',
      hint: 'run its command in a terminal to see what is wrong',
      cause: error,
    });
  }
}

/** JSON-RPC by lines, each way. */
function started([command, ...args]: readonly [string, ...string[]], env: Env, endMs: number) {
  const child = startProgram(command, args, childEnv(env, 'server'));
  let complaints = '';
  let fault: string | undefined;
  const closed = new Promise<void>((resolve) => {
    const onClose = (error?: unknown) => {
      fault ??= error instanceof Error ? error.message : 'it has ended';
      transport.onclose?.();
      resolve();
    };
    child.once('error', onClose).once('close', () => onClose());
  });
  child.stderr.on('data', (piece: Buffer) => {
    complaints = (complaints + piece.toString()).slice(-2000);
  });
  const tooLong = () => new Error(`it sent a line of more than ${formatBytes(max.lineBytes)}`);
  const read = async () => {
    for await (const lines of lineBlocks(child.stdout, max.lineBytes, tooLong)) {
      for (const line of lines) {
        const { data } = JSONRPCMessageSchema.safeParse(readMessage(line));
        if (data) transport.onmessage?.(data);
      }
    }
  };
  const transport: Transport = {
    start: () => {
      read().catch((error: unknown) => {
        fault ??= error instanceof Error ? error.message : undefined;
        stopProgram(child);
      });
      return Promise.resolve();
    },
    send: (message) => {
      // A server that does not read must not fill the memory.
      const isFull = child.stdin.writableLength > max.waiting;
      if (isFull) return Promise.reject(new Error('it does not read'));
      child.stdin.write(`${toJson(message)}\n`);
      return Promise.resolve();
    },
    close: async () => {
      child.stdin.end();
      const late = setTimeout(() => stopProgram(child), endMs);
      await closed;
      clearTimeout(late);
    },
  };
  return { transport, complaints: () => complaints, fault: () => fault };
}

/** A message, in which a result without content has its structured content as text. */
function readMessage(line: string): unknown {
  const exact = parsedJson(line);
  if (!isRecord(exact)) return undefined;
  const { structuredContent, content } = recordOf(exact['result']);
  // The schemas of the SDK refuse what keeps the digits of numbers.
  const message = recordOf(JSON.parse(line));
  if (structuredContent === undefined || listOf(content).length > 0) return message;
  const text = { type: 'text', text: toJson(structuredContent) };
  return { ...message, result: { ...recordOf(message['result']), content: [text] } };
}

/** The client leaves a listener at each signal: a signal of its own for each request. */
const within = (signal: AbortSignal, timeout: number) => {
  return { signal: AbortSignal.any([signal]), timeout };
};

async function listedBy(client: Client, how: () => ReturnType<typeof within>) {
  const all: Listed[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const request = { method: 'tools/list', params: { cursor } };
    const { tools, nextCursor } = await client.request(request, ListToolsResultSchema, how());
    all.push(...tools);
    if (all.length > max.tools) throw new Error(`it has more than ${max.tools} tools`);
    cursor = tools.length > 0 ? nextCursor : undefined;
  }
  if (all.length === 0) throw new Error('it has no tools');
  return all;
}

/** @throws Error for tools that would make each question expensive */
function assertShort(tools: readonly Tool[]): void {
  let rest = maxDescription.list;
  for (const { name, description, parameters } of tools) {
    const bytes = Buffer.byteLength(JSON.stringify({ description, parameters }));
    if (bytes > maxDescription.tool) {
      const limit = formatBytes(maxDescription.tool);
      throw new Error(`its tool ${name} takes more than ${limit} to describe`);
    }
    rest -= bytes;
  }
  if (rest < 0)
    throw new Error(`its tools take more than ${formatBytes(maxDescription.list)} to describe`);
}

/** What a model may be offered: letters, digits, _ and -, at most 64, and no other tool's name. */
function freeName(own: string, server: string, taken: ReadonlySet<string>): string {
  const plain = (text: string) => text.replace(/[^\w-]+/g, '_').slice(0, 60) || 'tool';
  const whole = taken.has(plain(own)) ? plain(`${server}_${own}`) : plain(own);
  let name = whole;
  for (let number = 2; taken.has(name); number += 1) name = `${whole}_${number}`;
  return name;
}

function resultOf({ content, isError }: CallToolResult): ToolResult {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource_link') return part.uri;
    const resource = part.type === 'resource' ? part.resource : part;
    if ('text' in resource) return resource.text;
    const bytes = Buffer.byteLength('blob' in resource ? resource.blob : resource.data, 'base64');
    return `[${plainText(`${part.type} ${resource.mimeType ?? ''}`, 80)}, ${formatBytes(bytes)}]`;
  });
  const bytes = Buffer.from(parts.join('\n'));
  const isCut = bytes.length > max.textBytes;
  const text = bytes.subarray(0, max.textBytes).toString();
  const note = isCut ? `\n[cut: ${formatBytes(bytes.length)} in all]` : '';
  return { text: text + note, isError: isError === true };
}

async function programIn(line: string): Promise<readonly [string, ...string[]]> {
  const [command, ...args] = await wordsIn(line).catch(() => []);
  if (command !== undefined) return [command, ...args];
  throw new UsageError('--mcp: the command is empty, or a quote in it has no end', {
    hint: `svc chat --mcp 'npx -y @modelcontextprotocol/server-filesystem /tmp' "list the files"`,
  });
}
