import { basename } from 'node:path';
import { uploadFile } from '../../api/files.js';
import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { openNamed } from '../../files/named-file.js';
import { spool } from '../../files/growing-file.js';
import { isWebAddress } from '../../lib/address.js';
import { exactly, span } from '../../lib/audio/source.js';
import { fileKindOf, kindBytes } from '../../lib/file-kind.js';
import type { upload } from './index.js';

export const run: Handler<typeof upload> = async (context, { args: { file: path }, options }) => {
  const { out, flags, stdin } = context;
  if (options.name === '') throw new UsageError('--name needs a name');
  if (isWebAddress(path)) {
    throw new UsageError('a URL cannot be uploaded', {
      hint: 'pass it to the job: svc generate MODEL --input URL',
    });
  }
  const name = path === '-' ? 'stdin' : basename(path);
  // The length must be known before sending, and piped input may not fit in memory.
  const file = await (path === '-' ? spool(stdin.pieces(), 'upload') : openNamed(path));
  try {
    const { length } = file;
    if (length === 0) throw new UsageError(`${name} is empty`, { code: 'empty_source' });
    const kind = fileKindOf(await exactly(file, 0, kindBytes));
    const { id, reply } = await uploadFile(await context.client(), {
      content: path === '-' ? { length, open: () => span(file, 0) } : { path, length },
      name: options.name ?? name,
      type: kind?.mediaType ?? 'application/octet-stream',
    });
    await (flags.json ? out.json(reply) : out.line(id));
  } finally {
    await file.close();
  }
};
