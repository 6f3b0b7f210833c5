import { openInput } from '../../batch/input.js';
import { inputLine } from '../../batch/outcome.js';
import type { Handler } from '../../context.js';
import { PartFile } from '../../files/part-file.js';
import { grouped } from '../../lib/amounts.js';
import type { make } from './index.js';

export const run: Handler<typeof make> = async (context, { args, options }) => {
  const { out } = context;
  const { force: replace = false, output: path = '-' } = options;
  const input = await openInput(context, args.input, options);
  try {
    const { count } = await input.check(() => undefined);
    const file = path === '-' ? undefined : await PartFile.open({ kind: 'file', path, replace });
    for await (const requests of input.requests()) {
      const lines = requests.map((request) => inputLine(request)).join('');
      await (file ? file.write(lines) : out.jsonText(lines));
    }
    if (!file) return;
    await file.finish();
    out.note(`wrote ${grouped(count)} ${count === 1 ? 'request' : 'requests'} to ${path}`);
  } finally {
    await input.close();
  }
};
