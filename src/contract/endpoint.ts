/** An endpoint is a row for the client, the embedded service, the OpenAPI document and tests. */
import * as z from 'zod/mini';

// Most schemas check a single value: compiling each to code would cost more than it saves.
z.config({ jitless: true });

/** Without an answer: repeat at any time; with the same token; or only if nothing was sent. */
export type RetryClass = 'safe' | 'idempotent' | 'never';

/** Other fields of the form are in the row's `body`. */
interface Files {
  readonly field: string;
  readonly required: boolean;
  readonly maxCount: number;
  /** For each file; absent where the specification gives none. */
  readonly maxBytes?: number;
  /** Accepted media types; absent where the specification names none. */
  readonly types?: readonly string[];
}

export interface Endpoint {
  /** Domain and verb, unique: `chat.create`. */
  readonly id: string;
  readonly section: string;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path template: `{id}` is a parameter, `{brand}` the neutral token of the spec. */
  readonly path: string;
  /** Its last parameter takes the rest of the path: model ids contain a slash (section 2.1). */
  readonly openEnded?: boolean;
  /** Section 4, column Auth: `key` is the Authorization header or x-api-key (section 5.2). */
  readonly auth: 'bearer' | 'key' | 'none' | 'signature' | 'session';
  /** A cabinet session is accepted instead of the key (section 4.8). */
  readonly orSession?: boolean;
  readonly retry: RetryClass;
  /** Meanings of path parameters whose names are not clear. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  /** JSON unless stated (introduction of the spec). */
  readonly bodyKind?: 'json' | 'multipart' | 'json-or-multipart';
  readonly files?: Files;
  /** The largest accepted body, where section 8 gives one. */
  readonly maxBodyBytes?: number;
  /** Request headers beyond authentication, with their meaning; names may contain `{brand}`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A successful reply: a schema (JSON), or raw bytes. */
  readonly returns: z.ZodMiniType | 'bytes';
  readonly bytesTypes?: readonly string[];
  /** Reply headers that a caller may need, named like `headers`. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
  readonly refusal?: z.ZodMiniType;
  /** The statuses in section 4, success first; `unlistedStatuses` has the others. */
  readonly statuses: readonly [number, ...number[]];
  /** Further statuses of section 7, and 206 and 416 where ranges are supported. */
  readonly moreStatuses?: readonly number[];
  readonly statusNotes?: Readonly<Record<number, string>>;
  /** Wire format of the event stream after `stream: true`. */
  readonly stream?: 'chat' | 'messages' | 'responses';
  /** What sets its price (spending/price-limit.ts); absent when it is free. `request`: it is not known. */
  readonly paid?:
    'request' | 'answer' | 'input' | 'search' | 'job' | 'media' | 'extension' | 'voice';
  /** The answer is made during the request, so its first byte may take minutes. */
  readonly slow?: boolean;
  readonly deprecated?: boolean;
}

/** With this header, a repeated call is the same call. Section 4.3 has it only for media.generate. */
export const onceByKey = {
  'Idempotency-Key': 'the same key gives the same result, with no second charge',
} as const;

const usual = { auth: 'bearer', returns: z.unknown(), statuses: [200, 401] } as const;
const usualRead = { ...usual, method: 'GET', retry: 'safe' } as const;
const usualWrite = { ...usual, method: 'POST', retry: 'never' } as const;

type Given = Omit<Endpoint, 'id' | 'path' | 'section' | keyof typeof usualRead> &
  Partial<Pick<Endpoint, keyof typeof usualRead>>;

function rowsLike<Usual extends typeof usualRead | typeof usualWrite>(usual: Usual) {
  return <
    const Id extends string,
    const Path extends string,
    const Section extends string,
    const Row extends Given,
  >(
    id: Id,
    path: Path,
    section: Section,
    row: Row,
  ): { id: Id; path: Path; section: Section } & Omit<Usual, keyof Row> & Row => {
    return { id, path, section, ...usual, ...row };
  };
}

/** A row that only reads. Without `returns`, its reply is not shown (section 4.10). */
export const read = rowsLike(usualRead);
/** A row that changes or costs something; unless declared otherwise, it is never sent again. */
export const write = rowsLike(usualWrite);

/** The parameter names of a path template: `'/a/{id}/{idx}'` gives `'id' | 'idx'`. */
type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Exclude<Name, 'brand'> | PathParameter<Rest>
  : never;

export type EndpointInput<Row extends Endpoint> = ([PathParameter<Row['path']>] extends [never]
  ? { params?: undefined }
  : { params: Readonly<Record<PathParameter<Row['path']>, string>> }) &
  (Row extends { query: z.ZodMiniType }
    ? { query?: z.input<Row['query']> }
    : { query?: undefined }) &
  (Row extends { body: z.ZodMiniType } ? { body: z.input<Row['body']> } : { body?: undefined });

export const statusMeanings: Readonly<Record<number, string>> = {
  200: 'done',
  201: 'created',
  202: 'accepted',
  206: 'the requested part of the file',
  400: 'invalid request',
  401: 'key missing or invalid',
  402: 'insufficient balance',
  403: "client address not in the key's allow-list",
  404: 'not found',
  409: 'conflict with the current state',
  410: 'result past its retention',
  413: 'request too large',
  415: 'unsupported attachment type',
  416: 'the range starts after the end of the file',
  422: 'the request cannot run as written',
  429: 'rate limit exceeded',
  500: 'the service failed',
  502: 'provider refused or failed',
  503: 'temporarily unavailable',
  504: 'not finished at the deadline',
};

/** Statuses that section 4 leaves to sections 5 and 7. */
export const unlistedStatuses = {
  any: [500, 503],
  keyed: [400, 403, 429],
  withBody: [400, 413],
  withQuery: [400],
  once: [409],
} as const;
