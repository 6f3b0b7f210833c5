/** The options of lists that come in pages with numbers. */
import type { Options } from '../cli/declaration.js';

export const pageOption = {
  page: {
    type: 'integer',
    value: 'N',
    summary: 'which page',
    min: 1,
    default: '1',
    heading: 'Pages',
  },
} as const satisfies Options;
