/** The tools of an MCP server, a program that svc starts and ends. Nothing of it is trusted. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { platform as thisPlatform } from 'node:process';
import { LocalFileError, SvcError, UsageError } from '../errors.js';
import { formatBytes } from '../lib/amounts.js';
import type { Env } from '../lib/env.js';
import { listOf, numberOf, parsedJson, recordOf, textOf, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { killAll, startProgram } from './child.js';
import type { Tool } from './tool.js';

export interface McpOptions {
  readonly env: Env;
  /** Ends the server. */
  readonly signal: AbortSignal;
  /** Names of other tools; an equal name gets that of the server before it. */
  readonly taken?: ReadonlySet<string>;
  readonly limits?: Partial<typeof usualLimits>;
}

/** A start may download a package first. */
const usualLimits = { startMs: 60_000, callMs: 300_000, endMs: 500 };
const most = {
  lineBytes: 4 * 2 ** 20,
  textBytes: 64 * 1024,
  tools: 128,
  pages: 20,
  waiting: 2 ** 20,
};

/**
 * Starts a server from its command line and reads its tools; `end` ends it with its children.
 * @throws UsageError for a command line that cannot be read, LocalFileError for a server without tools
 */
export async function connectMcp(commandLine: string, options: McpOptions) {
  const { env, signal, taken = new Set() } = options;
  const limits = { ...usualLimits, ...options.limits };
  const [command, ...args] = await wordsIn(commandLine);
  if (command === undefined) throw unreadable('is empty');
  // Its secrets are not those of svc.
  const others = { ...env, SVC_API_KEY: undefined, SVC_SESSION: undefined };
  signal.throwIfAborted();
  const child = startProgram(command, args, others);
  const server = connectionTo(child, limits.endMs);
  const onAbort = () => void server.end();
  signal.addEventListener('abort', onAbort, { once: true });
  const end = async () => {
    signal.removeEventListener('abort', onAbort);
    await server.end();
  };
  try {
    const starting = AbortSignal.any([signal, AbortSignal.timeout(limits.startMs)]);
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'svc', version: '1' },
    };
    const { serverInfo } = await server.request('initialize', params, starting);
    server.notify('notifications/initialized');
    const names = new Set(taken);
    const tools = (await listedBy(server, starting)).map((listed): Tool => {
      const own = textOf(listed['name']) ?? '';
      const name = freeName(own, textOf(recordOf(serverInfo)['name']) ?? 'mcp', names);
      names.add(name);
      const run: Tool['run'] = async (given, stopped) => {
        const ending = AbortSignal.any([stopped, AbortSignal.timeout(limits.callMs)]);
        try {
          const call = { name: own, arguments: given };
          return resultOf(await server.request('tools/call', call, ending));
        } catch (error) {
          stopped.throwIfAborted();
          const why = ending.aborted ? `no answer in ${limits.callMs / 1000} s` : messageOf(error);
          return { text: why, isError: true };
        }
      };
      const description = textOf(listed['description'])?.slice(0, 2000);
      return {
        name,
        description,
        parameters: { type: 'object', ...recordOf(listed['inputSchema']) },
        run,
      };
    });
    return { tools, end };
  } catch (error) {
    await end();
    signal.throwIfAborted();
    if (error instanceof SvcError) throw error;
    const words = plainText(server.complaints(), 300);
    const why =
      error instanceof Error && error.name === 'TimeoutError'
        ? 'it does not answer'
        : messageOf(error);
    throw new LocalFileError(
      `the MCP server ${plainText(command, 100)} failed: ${why}${words && `: ${words}`}`,
      {
        code: 'mcp_server',
        hint: 'run its command in a terminal to see what is wrong',
        cause: error,
      },
    );
  }
}

type Connection = ReturnType<typeof connectionTo>;

/** JSON-RPC by lines, each way. */
function connectionTo(child: ChildProcessWithoutNullStreams, endMs: number) {
  const waiting = new Map<
    number,
    { resolve: (result: JsonRecord) => void; reject: (why: Error) => void }
  >();
  let [lastId, complaints] = [0, ''];
  let failure: Error | undefined;
  const fail = (why: Error) => {
    failure ??= why;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  const closed = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      fail(error);
      resolve();
    });
    child.once('close', () => {
      fail(new Error('it has ended'));
      resolve();
    });
  });
  const send = (message: object) => {
    // A server that does not read must not fill the memory.
    if (child.stdin.writableLength > most.waiting) fail(new Error('it does not read'));
    else if (child.stdin.writable)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const take = (line: string) => {
    const { id, method, result, error } = recordOf(parsedJson(line));
    if (method !== undefined) {
      if (id === undefined) return;
      const refusal = { code: -32601, message: 'svc offers nothing to servers' };
      send(method === 'ping' ? { id, result: {} } : { id, error: refusal });
      return;
    }
    const asked = waiting.get(numberOf(id) ?? 0);
    waiting.delete(numberOf(id) ?? 0);
    if (error === undefined) asked?.resolve(recordOf(result));
    else asked?.reject(new Error(plainText(textOf(recordOf(error)['message']) ?? 'it refused')));
  };
  readLines(child, take, () => {
    fail(new Error(`it sent a line of more than ${formatBytes(most.lineBytes)}`));
    killAll(child);
  });
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (piece: Buffer) => {
    complaints = (complaints + piece.toString()).slice(-2000);
  });
  let ending: Promise<void> | undefined;
  return {
    complaints: () => complaints,
    notify: (method: string, params?: object) => send({ method, params }),
    request: (method: string, params: object, signal: AbortSignal): Promise<JsonRecord> => {
      const id = (lastId += 1);
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(id);
          if (method !== 'initialize')
            send({ method: 'notifications/cancelled', params: { requestId: id } });
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        };
        const ended = () => signal.removeEventListener('abort', onAbort);
        waiting.set(id, {
          resolve: (result) => {
            ended();
            resolve(result);
          },
          reject: (why) => {
            ended();
            reject(why);
          },
        });
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted) onAbort();
        else if (failure) waiting.get(id)?.reject(failure);
        else send({ id, method, params });
      });
    },
    end: () =>
      (ending ??= (async () => {
        child.stdin.end();
        const late = setTimeout(() => killAll(child), endMs);
        await closed;
        clearTimeout(late);
        // Children that it has left behind.
        killAll(child);
      })()),
  };
}

function readLines(
  { stdout }: ChildProcessWithoutNullStreams,
  take: (line: string) => void,
  onTooLong: () => void,
): void {
  let [pieces, bytes]: [Buffer[], number] = [[], 0];
  stdout.on('data', (piece: Buffer) => {
    let rest = piece;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      take(Buffer.concat([...pieces, rest.subarray(0, end)]).toString());
      rest = rest.subarray(end + 1);
      [pieces, bytes] = [[], 0];
    }
    bytes += rest.length;
    pieces.push(Buffer.from(rest));
    if (bytes <= most.lineBytes) return;
    [pieces, bytes] = [[], 0];
    onTooLong();
  });
}

async function listedBy(server: Connection, signal: AbortSignal): Promise<JsonRecord[]> {
  const all: JsonRecord[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || cursor !== undefined; page += 1) {
    const { tools, nextCursor } = await server.request('tools/list', { cursor }, signal);
    all.push(...listOf(tools).map(recordOf));
    cursor = textOf(nextCursor);
    if (all.length > most.tools || page > most.pages) {
      throw new Error(`it has more than ${most.tools} tools`);
    }
  }
  return all;
}

/** What a model may be offered: letters, digits, _ and -, at most 64, and no other tool's name. */
function freeName(own: string, server: string, taken: ReadonlySet<string>): string {
  const plain = (text: string) => text.replace(/[^\w-]+/g, '_').slice(0, 60) || 'tool';
  const whole = taken.has(plain(own)) ? plain(`${server}_${own}`) : plain(own);
  let name = whole;
  for (let number = 2; taken.has(name); number += 1) name = `${whole}_${number}`;
  return name;
}

function resultOf({ content, structuredContent, isError }: JsonRecord) {
  const parts = listOf(content).map((one) => {
    const { type, text, mimeType, data, uri, resource } = recordOf(one);
    const said = textOf(text) ?? textOf(recordOf(resource)['text']) ?? textOf(uri);
    if (said !== undefined) return said;
    const size = formatBytes(Math.floor(((textOf(data)?.length ?? 0) * 3) / 4));
    return `[${plainText(`${String(type)} ${textOf(mimeType) ?? ''}`, 80)}, ${size}]`;
  });
  const isSilent = parts.length === 0 && structuredContent !== undefined;
  const bytes = Buffer.from(isSilent ? JSON.stringify(structuredContent) : parts.join('\n'));
  const isCut = bytes.length > most.textBytes;
  const text = bytes.subarray(0, most.textBytes).toString();
  const note = isCut ? `\n[cut: ${formatBytes(bytes.length)} in all]` : '';
  return { text: text + note, isError: isError === true };
}

const messageOf = (error: unknown) =>
  plainText(error instanceof Error ? error.message : String(error), 300);

const unreadable = (why: string) =>
  new UsageError(`--mcp: the command ${why}`, {
    code: 'usage',
    hint: `svc chat --mcp 'npx -y @modelcontextprotocol/server-filesystem /tmp' "list the files"`,
  });

/** Split as a shell does, and nothing else of it; the `\` of Windows separates folders. */
export async function wordsIn(line: string, platform = thisPlatform): Promise<string[]> {
  const { split } = await import('shlex');
  try {
    const isPath = platform === 'win32';
    return split(
      isPath ? line.replace(/'[^']*'|\\/g, (part) => part.replace(/^\\/, '$&$&')) : line,
    );
  } catch {
    throw unreadable('has a quote without its end');
  }
}
