/** The log of `svc serve` and `svc proxy`: a line on stderr for each request, and bodies of the first under -v. */
import type { Context } from '../../context.js';
import { formatBytes, formatRub } from '../../lib/amounts.js';
import { parseJson, toJson } from '../../lib/json.js';
import { mapTexts, redact } from '../../lib/redact.js';
import { cutText, textWidth } from '../../lib/wrap.js';
import type { ListenOptions } from '../../service/listen.js';

/** Bytes of a body that are kept, and characters of a text and of a body that are shown. */
const max = { bytes: 256 * 1024, text: 300, shown: 2000 } as const;

/** Columns that a path has on a narrow terminal too. */
const minPathColumns = 24;

/** A request that has been answered. */
export interface LoggedRequest {
  readonly atMs: number;
  readonly method: string;
  /** Its path, and its query where it may be shown. */
  readonly target: string;
  readonly status: number;
  readonly ms: number;
  readonly priceRub: number;
  /** What else is known of it. */
  readonly about: string;
  /** Whether all of the answer was sent. */
  readonly isSent: boolean;
}

/** Writes a line for each request. */
export function lineLog({ out }: Pick<Context, 'out'>): (request: LoggedRequest) => void {
  const shownPath = repeating(shownTarget);
  const shownPrice = repeating((rub: number) => (rub > 0 ? formatRub(rub) : ''));
  const shownTime = repeating((s: number) => new Date(s * 1000).toTimeString().slice(0, 8));
  // A signed link would wrap on a terminal.
  const fitted = (path: string, beside: readonly { text: string }[]) => {
    if (!out.isErrorTerminal) return path;
    const taken = textWidth(beside.map(({ text }) => text).join(''));
    return cutText(path, Math.max(minPathColumns, out.errorColumns - taken));
  };
  return ({ about, atMs, isSent, method, ms, priceRub, status, target }) => {
    const failed = status < 500 ? 'waiting' : 'failed';
    const before = [
      { text: shownTime(Math.floor(atMs / 1000)), look: 'dim' },
      { text: `  ${method.padEnd(6)}  ` },
      { text: String(status), look: status < 400 ? 'done' : failed },
      { text: `${`${ms} ms`.padStart(9)}  `, look: 'dim' },
      { text: `${shownPrice(priceRub).padStart(12)}  ` },
    ] as const;
    const after = [
      { text: about === '' ? '' : `  ${about}`, look: 'dim' },
      { text: isSent ? '' : '  aborted', look: 'waiting' },
    ] as const;
    out.log([...before, { text: fitted(shownPath(target), [...before, ...after]) }, ...after]);
  };
}

export function requestLog(context: Context): ListenOptions['watch'] {
  const { clock, flags, out } = context;
  if (flags.quiet) return undefined;
  const write = lineLog(context);
  return ({ method = '', url: target = '', headers }) => {
    const startMs = clock.now();
    const request = flags.verbose ? new Body() : undefined;
    const reply = flags.verbose ? new Body() : undefined;
    const show = (mark: string, lines: readonly string[] = []) => {
      for (const text of lines) out.log([{ text: `  ${mark} `, look: 'dim' }, { text }]);
    };
    return {
      request: request?.add,
      reply: reply?.add,
      end: (answer, isSent) => {
        const atMs = clock.now();
        const { status, caller, chargedRub: priceRub = 0 } = answer;
        const about = caller?.keyName ?? '';
        write({ atMs, method, target, status, ms: atMs - startMs, priceRub, about, isSent });
        if (reply && typeof answer.body === 'string') reply.add(Buffer.from(answer.body));
        show('>', request?.lines(headers['content-type']));
        show('<', reply?.lines(answer.headers['content-type']));
      },
    };
  };
}

/** Clients usually repeat a path and its price. */
function repeating<Value>(show: (value: Value) => string): (value: Value) => string {
  let last: { readonly value: Value; readonly text: string } | undefined;
  return (value) => (last?.value === value ? last : (last = { value, text: show(value) })).text;
}

const secretParameter = /([?&][^=&]*(?:key|token|secret|password|session|auth|sig)[^=&]*=)[^&]+/gi;

/** The path and query without secrets, however they are encoded. */
function shownTarget(target: string): string {
  let shown = target;
  try {
    if (target.includes('%')) shown = decodeURIComponent(target);
  } catch {
    // It is shown as received.
  }
  return shortened(redact(shown.replace(secretParameter, '$1[hidden]')), max.text);
}

function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}… (${formatBytes(Buffer.byteLength(text))})`;
}

class Body {
  private readonly decoder = new TextDecoder();
  private text = '';
  private bytes = 0;

  readonly add = (piece: Uint8Array): void => {
    const room = Math.max(0, max.bytes - this.bytes);
    this.text += this.decoder.decode(piece.subarray(0, room), { stream: true });
    this.bytes += piece.byteLength;
  };

  /** The body in lines to show: a text without secrets, or the size and type of anything else. */
  lines(type = 'unknown type'): string[] {
    if (this.bytes === 0) return [];
    if (!/^text\/|json|xml|urlencoded/.test(type)) {
      return [`<${formatBytes(this.bytes)} ${redact(type.split(';', 1)[0] ?? '').slice(0, 60)}>`];
    }
    const clean = (text: string) => shortened(redact(text), max.text);
    let shown = redact(this.text);
    try {
      shown = toJson(mapTexts(parseJson(this.text), clean));
    } catch {
      // An event stream, or a part of a large body.
    }
    const cut = shown.length > max.shown ? `… (${formatBytes(this.bytes)})` : '';
    return `${shown.slice(0, max.shown)}${cut}`.split(/[\r\n]+/).filter((line) => line !== '');
  }
}
