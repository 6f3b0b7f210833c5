import { command, flag, integer, text, under } from '../../command.js';
import { searchModes, searchRegions } from '../../contract/enums.js';
import * as limits from '../../contract/limits.js';
import { cacheOption, priceNote } from '../../jobs/options.js';

const { results } = limits.search;
const { min, max } = results;

export const search = command('search', 'search the web', {
  columns: ['number', 'title', 'url', 'text'],
  heading: 'Text',
  description: `Search the web. On a terminal, results are numbered and clickable. Without arguments, the query is read from stdin.\n${priceNote}`,
  args: [{ name: 'query', summary: 'the query', many: true }],
  options: {
    limit: integer('N', 'the number of results', {
      also: '-n --count',
      min,
      max,
      default: String(results.default),
    }),
    ...under('Where and how', {
      mode: text('MODE', 'the search depth', { choices: searchModes, default: searchModes[0] }),
      country: text('XX', 'results for this country (two letters)'),
      language: text('XX', 'results in this language (two letters)'),
      region: text('REGION', 'search a regional web instead (/api/search)', {
        choices: searchRegions,
      }),
    }),
    ...cacheOption,
    urls: flag('print only the addresses, one per line', { heading: 'Output' }),
  },
  examples: [
    'svc search "node 20 end of life" # ten results',
    'svc search --limit 3 --country de --language en Bauhaus # three, for a country',
    'svc search --region ru погода # a regional web',
    'svc search --urls rfc 9110 | head -1 # the first address',
  ],
  endpoints: ['search.web', 'search.region'],
  conflicts: [
    ['--json', '--urls'],
    ['--region', '--mode', '--country', '--language'],
  ],
});
