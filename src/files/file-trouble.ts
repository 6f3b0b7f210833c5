/** Failures of the file system, told as sentences. */
import { LocalFileError } from '../errors.js';
import { codeOf } from '../lib/error-code.js';

export { codeOf };

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would be larger than allowed here',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'the disk is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
};

/** Why a file operation failed, in words; the error's own code when we know none. */
export function fileReason(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return 'an unknown reason';
  // It may stand beside the file that is told of.
  if (code === 'ENOTREG' && error instanceof Error) return error.message;
  return reasons[code] ?? code;
}

/** A LocalFileError that says what could not be done and why; any other error passes unchanged. */
export function fileTrouble(error: unknown, failed: string, hint?: string): unknown {
  if (!/^(E[A-Z0-9]+|SQLITE_\w+)$/.test(codeOf(error) ?? '')) return error;
  return new LocalFileError(`${failed}: ${fileReason(error)}`, {
    hint,
    code: 'local_file',
    cause: error,
  });
}
