/** Pictures in the terminal, where it can show them. Its sequences are ours: only bytes go in. */
import type { Env } from '../lib/env.js';

/** A larger file takes longer to draw than to open. */
export const maxInlineBytes = 8 * 1024 * 1024;

/**
 * What draws a picture in the terminal of this environment, with a line feed after it; undefined
 * where the terminal, or a multiplexer in between, is not known to take it.
 */
export function inlineImage(env: Env, bytes: Uint8Array, mediaType: string): Buffer | undefined {
  if (env['TMUX'] !== undefined || env['STY'] !== undefined) return undefined;
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  if (isKitty(env)) return mediaType === 'image/png' ? kitty(base64) : undefined;
  return isIterm(env) && mediaType.startsWith('image/') && mediaType !== 'image/svg+xml'
    ? Buffer.from(`\u001b]1337;File=inline=1;size=${bytes.byteLength}:${base64}\u0007\n`)
    : undefined;
}

function isKitty(env: Env): boolean {
  return (
    env['KITTY_WINDOW_ID'] !== undefined ||
    env['TERM'] === 'xterm-kitty' ||
    env['TERM'] === 'xterm-ghostty' ||
    env['TERM_PROGRAM'] === 'ghostty'
  );
}

function isIterm(env: Env): boolean {
  return env['TERM_PROGRAM'] === 'iTerm.app' || env['TERM_PROGRAM'] === 'WezTerm';
}

/** Kitty's protocol takes PNG in pieces of at most 4096 letters; q=2 keeps it from answering. */
function kitty(base64: string): Buffer {
  const pieces = base64.match(/.{1,4096}/gs) ?? [];
  const commands = pieces.map((piece, index) => {
    const more = index < pieces.length - 1 ? 1 : 0;
    const control = index === 0 ? `a=T,f=100,q=2,m=${more}` : `m=${more}`;
    return `\u001b_G${control};${piece}\u001b\\`;
  });
  return Buffer.from(`${commands.join('')}\n`);
}
