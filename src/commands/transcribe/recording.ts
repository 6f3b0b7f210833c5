/** The recording that is to be written down: a file, or what is piped in. */
import { basename } from 'node:path';
import type { Stdin } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import type { OpenFile } from '../../files/file-source.js';
import { openNamed } from '../../files/named-file.js';
import { spool } from '../../files/spool.js';
import { exactly } from '../../lib/audio/source.js';
import {
  fileKindOf,
  isSameExtension,
  kindBytes,
  type FileKind,
  textIn,
} from '../../lib/file-kind.js';
import { splitExtension } from '../../lib/file-name.js';

export interface Recording {
  readonly file: OpenFile;
  /** In messages. */
  readonly name: string;
  /** What the service is told that it is called: its extension fits its content. */
  readonly sentName: string;
  /** Undefined for what is not known, and no text. */
  readonly kind: FileKind | undefined;
  close(): Promise<void>;
}

/**
 * Opens it, as far as its first bytes.
 * @param maxBytes what is piped in is read no further than one byte beyond.
 * @throws UsageError for what is not there, empty, or surely no recording; LocalFileError.
 */
export async function openRecording(
  path: string,
  stdin: Stdin,
  maxBytes: number,
): Promise<Recording> {
  if (path === '') throw new UsageError('give the name of a recording', { code: 'usage' });
  const opened = path === '-' ? await piped(stdin, maxBytes) : await named(path);
  const { file, name, close } = opened;
  try {
    if (file.length === 0) throw new UsageError(`${name} is empty`, { code: 'empty_file' });
    const head = await exactly(file, 0, kindBytes);
    const kind = fileKindOf(head);
    refuseOther(name, head, kind);
    return { ...opened, sentName: sentName(name, kind), kind };
  } catch (error) {
    await close();
    throw error;
  }
}

type Opened = Pick<Recording, 'file' | 'name' | 'close'>;

async function named(path: string): Promise<Opened> {
  const file = await openNamed(path);
  return { file, name: basename(path), close: () => file.close() };
}

/** Its length must be known before it is sent, and it may be too large for memory. */
async function piped(stdin: Stdin, maxBytes: number): Promise<Opened> {
  if (stdin.isTerminal) {
    throw new UsageError('a recording is piped in, not typed', {
      code: 'usage',
      hint: 'svc transcribe FILE, or pipe one into svc transcribe -',
    });
  }
  const file = await spool(stdin.pieces(), 'recording', maxBytes);
  return { file, name: 'stdin', close: () => file.close() };
}

/** By the first bytes, for a name proves nothing. What nobody knows is for the service to judge. */
function refuseOther(name: string, head: Buffer, kind: FileKind | undefined): void {
  if (kind && /^(?:audio|video)\//.test(kind.mediaType) && !isWideText(head)) return;
  const what = kind && !isWideText(head) ? kind.mediaType : isText(head) ? 'text' : undefined;
  if (what === undefined) return;
  throw new UsageError(`${name} is ${what}, no recording`, { code: 'not_a_recording' });
}

function isText(head: Buffer): boolean {
  // The last character may be cut in two.
  return (
    isWideText(head) ||
    [0, 1, 2, 3].some((cut) => textIn(head.subarray(0, head.length - cut)) !== undefined)
  );
}

/** UTF-16 with its mark, which looks like a frame of MPEG audio, but of a layer before MP3. */
function isWideText(head: Buffer): boolean {
  const mark = head.toString('latin1', 0, 2);
  return mark === '\xff\xfe' || mark === '\xfe\xff';
}

function sentName(name: string, kind: FileKind | undefined): string {
  const [stem, extension] = splitExtension(name);
  if (!kind || (extension !== '' && isSameExtension(extension.slice(1), kind.extension)))
    return name;
  return `${extension === '' ? name : stem}.${kind.extension}`;
}
