/** Time limits of one attempt, in milliseconds; 0 means none. */
export interface Timeouts {
  /** Until the connection is established, TLS included. */
  connectMs: number;
  /** From the last byte sent to the first byte of the answer's head. */
  firstByteMs: number;
  idleMs: number;
}

/** A body of known size, created for each attempt; its source may reuse the memory of a piece. */
export interface StreamedBody {
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Its contents, to show it as a curl command: a form, one file, or texts and files. */
  readonly form?: Form;
  readonly path?: string;
  readonly segments?: readonly Segment[];
}

/** Bytes that a body contains as base64; `length` counts them before encoding. */
export type Base64Source = { readonly length: number } & (
  { readonly path: string } | { readonly bytes: Uint8Array }
);

export type Segment = string | Base64Source;

/** A multiple of three, so that pieces in base64 join without padding. */
export const pieceBytes = 192 * 1024;

export function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** A body from its beginning, as often as it is called. */
export async function* piecesOf(
  body: string | Uint8Array | StreamedBody,
): AsyncIterable<Uint8Array> {
  if (typeof body === 'object' && 'open' in body) yield* body.open();
  else yield* slices(typeof body === 'string' ? Buffer.from(body) : body);
}

export interface Form {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FilePart[];
}

export interface FilePart {
  readonly field: string;
  readonly filename: string;
  readonly type: string;
  readonly content: Uint8Array | StreamedBody;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | StreamedBody;
  readonly timeouts: Timeouts;
  readonly signal?: AbortSignal;
  /** A large answer gets its own connection, on which `pipe` can use given memory. */
  readonly isBulk?: boolean;
  /** One of many: it may take a connection that was in use a moment ago, whatever it does. */
  readonly isFrequent?: boolean;
}

export type Sink = (chunk: Buffer) => void | Promise<void>;

/** Returns the place of the next bytes; called again after each piece. */
export type Memory = () => Buffer;

export interface ResponseHead {
  readonly status: number;
  /** Lower-case names; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface HttpResponse extends ResponseHead {
  /** It is an earlier answer to the same request (--cache). */
  readonly isCached?: true;
  /** The body ends with its connection, and may be incomplete. */
  readonly endsWithConnection?: boolean;
  /** From a tape: nothing was sent, and nothing is charged. */
  readonly isReplayed?: boolean;
  /** Delivers the body once, its pieces in `memory` where possible. @throws BodyCut */
  pipe(sink: Sink, memory?: Memory): Promise<void>;
  /** Abandons the body and frees the connection. Harmless after its end. */
  discard(): void;
}

/** One attempt: sends a request and resolves at the answer's headers. @throws AttemptFailed */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export type FailureReason =
  | 'resolve' // unknown host name
  | 'connect' // refused, unreachable, or a temporary failure to look up the name
  | 'connect-timeout'
  | 'proxy-login' // the proxy refuses the user name and password, or there are none
  | 'tls'
  | 'reset' // the connection dropped after it was established
  | 'first-byte-timeout'
  | 'protocol' // not HTTP
  | 'body' // our own request body could not be read
  | 'idle-timeout' // within a body
  | 'truncated'
  | 'unwanted' // not the requested file
  | 'deadline' // of the whole call; only send() uses it
  | 'aborted';

/** No answer. `sent` says whether any byte of the request may have arrived. */
export class AttemptFailed extends Error {
  override readonly name: string = 'AttemptFailed';
  constructor(
    readonly reason: FailureReason,
    readonly sent: boolean,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export class BodyCut extends AttemptFailed {
  override readonly name = 'BodyCut';
  constructor(reason: FailureReason, message: string, cause?: unknown) {
    super(reason, true, message, cause);
  }
}

export interface Wait {
  readonly kind: 'wait';
  readonly delayMs: number;
  readonly why: string;
  /** By the service, in Retry-After. */
  readonly isRequested: boolean;
}

export type Observed =
  | { kind: 'request'; request: HttpRequest; attempt: number }
  | { kind: 'answer'; status: number; elapsedMs: number }
  | { kind: 'failure'; message: string; elapsedMs: number }
  | Wait;

export type Observe = (event: Observed) => void;
