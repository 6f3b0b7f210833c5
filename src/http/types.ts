/** What passes between the layers above and one attempt on the wire. */

/** Time limits of one attempt, in milliseconds; 0 means none. */
export interface Timeouts {
  /** Until the connection is established, TLS included. */
  connectMs: number;
  /** From the last byte sent to the first byte of the answer's head. */
  firstByteMs: number;
  /** Between two pieces of the answer's body. */
  idleMs: number;
}

/** A body of known size, made anew for each attempt; its source may reuse the memory of a piece. */
export interface StreamedBody {
  readonly length: number;
  readonly open: () => AsyncIterable<Uint8Array>;
  /** What it is made of, to show it as a curl command: a form, one file, or texts and files. */
  readonly form?: Form;
  readonly path?: string;
  readonly segments?: readonly Segment[];
}

/** Bytes that stand in a body as base64; `length` counts them before they are encoded. */
export type Base64Source = { readonly length: number } & (
  { readonly path: string } | { readonly bytes: Uint8Array }
);

export type Segment = string | Base64Source;

/** Of a body in pieces; a multiple of three, so that pieces in base64 join without padding. */
export const pieceBytes = 192 * 1024;

export function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
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
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | StreamedBody;
  readonly timeouts: Timeouts;
  readonly signal?: AbortSignal;
  /** A large answer gets a connection of its own, on which `pipe` can use given memory. */
  readonly isBulk?: boolean;
}

export type Sink = (chunk: Buffer) => void | Promise<void>;

/** Says where the next bytes of a body may be put; asked again after each piece. */
export type Memory = () => Buffer;

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body lasts as long as its connection, and may not be whole. */
  readonly endsWithConnection?: boolean;
  /** Hands over the body once, its pieces in `memory` where possible. @throws BodyCut */
  pipe(sink: Sink, memory?: Memory): Promise<void>;
  /** Gives the body up and frees the connection. Harmless when the body has ended. */
  discard(): void;
}

/** One attempt: sends a request and resolves at the answer's head, or rejects with `AttemptFailed`. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export type FailureReason =
  | 'resolve' // there is no such name
  | 'connect' // refused, unreachable, proxy refused, names cannot be looked up just now
  | 'connect-timeout'
  | 'tls' // the certificate or the handshake
  | 'reset' // the connection dropped after it was established
  | 'first-byte-timeout'
  | 'protocol' // the answer is not HTTP
  | 'body' // our own request body could not be read
  | 'idle-timeout' // in the middle of a body
  | 'truncated' // a body that is not whole
  | 'unwanted' // something else than was asked for
  | 'deadline' // the whole call took too long; only send() says so
  | 'aborted';

/** An attempt ended without an answer. `sent` says whether any byte of it may have arrived. */
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

/** A body ended before it was whole. */
export class BodyCut extends AttemptFailed {
  override readonly name = 'BodyCut';
  constructor(reason: FailureReason, message: string, cause?: unknown) {
    super(reason, true, message, cause);
  }
}

/** Before another attempt; `isAsked` by the service, or our own. */
export interface Wait {
  readonly kind: 'wait';
  readonly delayMs: number;
  readonly why: string;
  readonly isAsked: boolean;
}

/** Something worth a line under --verbose. */
export type Observed =
  | { kind: 'request'; request: HttpRequest; attempt: number }
  | { kind: 'answer'; status: number; elapsedMs: number }
  | { kind: 'failure'; message: string; elapsedMs: number }
  | Wait;

export type Observe = (event: Observed) => void;
