import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import type { run as declaration } from './index.js';

export const run: Handler<typeof declaration> = () => {
  throw new UsageError('not written yet');
};
