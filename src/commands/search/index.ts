import { command, flag, integer, text, under, type Loaded } from '../../cli/declaration.js';
import { searchModes, searchRegions } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';

const { results } = limits.search;

export const search = command('search', 'search the web', {
  heading: 'Text',
  description:
    'Search the web. On a terminal the results are numbered and can be clicked; a pipe gets a line for each: number, title, address and text, parted by tabs. Without words the query is read from stdin.',
  args: [{ name: 'query', summary: 'what to search for', many: true }],
  options: {
    count: integer('N', 'how many results', {
      short: 'n',
      min: results.min,
      max: results.max,
      default: String(results.default),
    }),
    ...under('Where and how', {
      mode: text('MODE', 'how thorough', { choices: searchModes, default: searchModes[0] }),
      country: text('XX', 'results for this country, as two letters'),
      language: text('XX', 'results in this language, as two letters'),
      region: text('REGION', 'search the web of a region instead (/api/search)', {
        choices: searchRegions,
      }),
    }),
    urls: flag('print the addresses alone, one a line', { heading: 'Output' }),
  },
  examples: [
    'svc search "node 20 end of life" # ten results',
    'svc search -n 3 --country de --language en Bauhaus # three, for a country',
    'svc search --region ru погода # the web of a region',
    'svc search --urls rfc 9110 | head -1 # the first address',
  ],
  endpoints: ['search.web', 'search.region'],
  conflicts: [
    ['--json', '--urls'],
    ['--region', '--mode', '--country', '--language'],
  ],
  load: (): Promise<Loaded> => import('./search.js'),
});
