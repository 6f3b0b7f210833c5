/** What a download is told, and what comes of it. */
import type { Target } from '../../files/target.js';
import type { Limited } from '../deadline.js';
import type { HttpResponse, Memory, Timeouts, Transport } from '../types.js';

export interface Downloading extends Limited {
  readonly transport: Transport;
  readonly url: URL;
  /** A name, a folder, or whatever takes bytes one piece after the other. */
  readonly to: Target | StreamTarget;
  /** Sent to the origin of `url`, and nowhere else; lower-case names, nothing secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent to their own origin alone, and never with a signed link, which needs none. */
  readonly credentials?: Credentials;
  readonly timeouts: Timeouts;
  /** Told at the first byte, at the last, and at most ten times a second between. */
  readonly onProgress?: (progress: Progress) => void;
  /** What the first bytes of a file are that is not wanted; no part of such a file stays. */
  readonly unwanted?: (head: Buffer) => string | undefined;
  /** A file that is longer is given up, and no part of it stays; undefined is no limit. */
  readonly maxBytes?: number;
}

export interface StreamTarget {
  readonly kind: 'stream';
  /** A promise means: no more until then. The piece is the stream's to keep. */
  readonly write: (piece: Buffer) => void | Promise<void>;
}

export interface Credentials {
  /** As `URL.origin` gives it. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Progress {
  /** Those of an earlier run included. */
  readonly bytes: number;
  readonly totalBytes: number | undefined;
}

export interface Downloaded {
  /** Undefined for a stream. */
  readonly path: string | undefined;
  readonly bytes: number;
  /** By the content, else by what the service says. */
  readonly mediaType: string | undefined;
  /** Whether an earlier run had brought a part of it. */
  readonly resumed: boolean;
}

/** The service answered, and what it answered with is no file. Its body may still be read. */
export class DownloadRefused extends Error {
  override readonly name = 'DownloadRefused';
  constructor(
    readonly response: HttpResponse,
    message: string,
  ) {
    super(message);
  }
}

/** The file is longer than whoever asked for it takes. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** What the bytes of a body belong to. */
export interface Version {
  /** A strong one, with its quotes. */
  readonly etag?: string;
  /** Of the whole, in bytes. */
  readonly length?: number;
  readonly contentType?: string;
}

/** Where the bytes go. */
export interface Store {
  /** Bytes of `version` that are there, from its start on. */
  readonly bytes: number;
  /** Undefined when there is nothing yet. */
  readonly version: Version | undefined;
  /** Where they are best put; undefined when it is all the same. */
  readonly memory: Memory | undefined;
  /** From here on they are of this version, from its start on. @throws when it is too late for that. */
  begin(version: Version): Promise<void>;
  take(piece: Buffer): void | Promise<void>;
  /** Resolves when all that was taken is where it belongs. */
  flush(): Promise<void>;
}
