/** The options of lists that come in pages with numbers. */
import { integer, type Options } from '../cli/declaration.js';

export const pageOption = {
  page: integer('N', 'which page', { min: 1, default: '1', heading: 'Pages' }),
} as const satisfies Options;
