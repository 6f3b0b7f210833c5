import { uploadFile } from '../../api/files.js';
import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { nameOf, sourceAt } from '../generate/sources.js';
import type { upload } from './index.js';

/** Uploads a file; its id is all that stdout gets. */
export const run: Handler<typeof upload> = async (context, { args, options }) => {
  const { out, flags } = context;
  if (options.name === '') throw new UsageError('--name needs a name', { code: 'usage' });
  const source = await sourceAt(args.file, context.stdin);
  if (source.at === 'url') {
    throw new UsageError('an address is not uploaded', {
      code: 'usage',
      hint: 'give it to the job as it is: svc generate MODEL --input URL',
    });
  }
  const { id, reply } = await uploadFile(await context.client(), {
    content: source.at === 'file' ? source : source.bytes,
    name: options.name ?? nameOf(source),
    type: source.mediaType,
  });
  await (flags.json ? out.json(reply) : out.line(id));
};
