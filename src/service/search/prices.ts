/** What a search costs (section 2.9: turbo is fixed, whatever it finds). */
import type { searchModes } from '../../contract/enums.js';

/** In micro-roubles. */
export interface SearchPrice {
  readonly perRequest: number;
  readonly perResult: number;
}

type Mode = (typeof searchModes)[number];

export const searchPrices: Readonly<Record<Mode, SearchPrice>> = {
  turbo: { perRequest: 300_000, perResult: 0 },
  base: { perRequest: 300_000, perResult: 30_000 },
  pro: { perRequest: 600_000, perResult: 60_000 },
};

/** The name under which a search stands in usage records. */
export const searchModel = 'local/search';
