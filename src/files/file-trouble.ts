/** File system errors as sentences. */
import { LocalFileError } from '../errors.js';
import { codeOf } from '../lib/error-code.js';

export { codeOf };

/** Why a file cannot be used, by the codes of the system and of SQLite. */
export const fileReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file would exceed the size limit',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links form a loop',
  E2BIG: 'its arguments or variables are too long',
  ENOEXEC: 'it is not a program of this system',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'the disk is read-only',
  SQLITE_CANTOPEN: 'it cannot be opened',
  SQLITE_IOERR: 'the disk reports an error',
  SQLITE_BUSY: 'another svc is using it',
  SQLITE_CORRUPT: 'it is damaged',
  SQLITE_NOTADB: 'it is damaged',
};

const damaged =
  'restore it from a backup; or move it away, and `svc usage list` shows what was charged';

export function fileReason(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return 'an unknown reason';
  if (code === 'ENOTREG' && error instanceof Error) return error.message;
  return fileReasons[reasonCode(code)] ?? code;
}

/** The code that has a reason: SQLITE_IOERR for the extended SQLITE_IOERR_WRITE. */
export function reasonCode(code: string): string {
  return /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code;
}

/** For `catch`: throws the error as a sentence. */
export function failing(failed: string, hint?: string): (cause: unknown) => never {
  return (cause) => {
    throw fileTrouble(cause, failed, hint);
  };
}

/** A LocalFileError with what failed and why; any other error passes unchanged. */
export function fileTrouble(error: unknown, failed: string, hint?: string): unknown {
  if (!/^(E[A-Z0-9]+|SQLITE_\w+)$/.test(codeOf(error) ?? '')) return error;
  return new LocalFileError(`${failed}: ${fileReason(error)}`, {
    hint: /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error) ?? '') ? damaged : hint,
    code: 'local_file',
    cause: error,
  });
}
