/** Puts together what a handler gets; whatever costs is made when it is first asked for. */
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.js';
import type { Clock } from '../lib/clock.js';
import { fileTrouble } from '../files/file-trouble.js';
import { utf8Text } from '../lib/utf8.js';
import { pathsFrom } from '../state/paths.js';
import { loadSettings, type Settings } from '../state/settings.js';
import type { Output, Prompts } from '../terminal/types.js';
import type { OutputStream } from '../terminal/writer.js';
import { onward } from './onward.js';
import type { Env } from '../lib/env.js';
import type { Context, GlobalFlags, Stdin } from './context.js';

export type InputStream = Readable & { isTTY?: boolean };

export interface World {
  stdin: InputStream;
  stderr: OutputStream;
  env: Env;
  clock: Clock;
  version: string;
}

/** What the handler of one run gets; each part is made when it is first asked for. */
export function makeContext(
  world: World,
  flags: GlobalFlags,
  out: Output,
  signal: AbortSignal,
): Context {
  const { env, clock, version } = world;
  const paths = pathsFrom(env);
  let settings: Settings | undefined;
  const context: Context = {
    out,
    stdin: stdinFrom(world, signal),
    flags,
    env,
    clock,
    signal,
    paths,
    onward: onward(flags),
    prompts: lazyPrompts(world, flags, signal),
    settings: () => (settings ??= loadSettings({ flags, env, paths })),
    client: async (needs) => {
      const { connect } = await import('./connect.js');
      return connect(
        { flags, env, paths, clock, signal, version, out, settings: context.settings },
        needs,
      );
    },
  };
  return context;
}

function stdinFrom(world: World, signal: AbortSignal): Stdin {
  const bytes = async () => {
    const { tooLarge, wholeOf } = await import('../files/named-file.js');
    return wholeOf(piecesOf(world.stdin, signal), () => tooLarge('what is piped in'));
  };
  return {
    get isTerminal() {
      return world.stdin.isTTY === true;
    },
    bytes,
    text: async () => pipedText(await bytes()),
    pieces: (until) => piecesOf(world.stdin, until ? AbortSignal.any([signal, until]) : signal),
  };
}

async function* piecesOf(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const onAbort = () => {
    stream.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    for await (const piece of stream) if (Buffer.isBuffer(piece)) yield piece;
  } catch (error) {
    throw fileTrouble(error, 'cannot read stdin');
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The text, byte for byte. @throws UsageError */
function pipedText(bytes: Buffer): string {
  const text = utf8Text(bytes, { keepsMark: true });
  if (text !== undefined) return text;
  throw new UsageError('what is piped in is no UTF-8 text', {
    code: 'not_text',
    hint: 'pipe text in as UTF-8; `svc chat -a -` takes an image',
  });
}

function lazyPrompts(world: World, flags: GlobalFlags, signal: AbortSignal): Prompts {
  const load = async () => {
    const { createPrompts } = await import('../terminal/prompt.js');
    return createPrompts({
      input: world.stdin,
      output: world.stderr,
      allowed: flags.input,
      yes: flags.yes,
      signal,
    });
  };
  return {
    text: async (question) => (await load()).text(question),
    secret: async (question) => (await load()).secret(question),
    confirm: async (question) => (await load()).confirm(question),
    select: async (question) => (await load()).select(question),
    several: async (question) => (await load()).several(question),
  };
}
