import { command, flag, integer, output, text, under } from '../../command.js';
import { embeddingEncodings } from '../../contract/enums.js';
import { cacheOption, priceNote } from '../../jobs/options.js';

export const defaultBatch = 64;
export const defaultCount = 10;

const range = { min: 1, max: 100_000 };

export const embed = command('embed', 'turn texts into vectors, or rank texts by meaning', {
  heading: 'Text',
  description: `Turn texts into vectors. Each argument is a text; without arguments, the text is read from -f FILE or stdin. With --lines, each line is a text.\nThe result is one JSON vector per line; -o writes a NumPy or JSON Lines file instead.\n${priceNote}`,
  args: [{ name: 'text', summary: 'a text to turn into a vector', many: true }],
  options: {
    model: text.model('the embedding model'),
    ...under('Input', {
      file: text('FILE|-', 'read the text from this file', { short: 'f' }),
      lines: flag('treat each line as a text'),
      skip: integer('N', 'skip this many lines', { min: 0 }),
      batch: integer('N', 'send at most this many lines at once', {
        min: 1,
        max: 2048,
        default: String(defaultBatch),
      }),
    }),
    ...under('Ranking', {
      similar: text('QUERY', 'rank the lines by similarity to this text instead'),
      limit: integer('N', 'the number of most similar lines', {
        also: '-n --count',
        ...range,
        default: `${defaultCount}`,
      }),
    }),
    ...cacheOption,
    ...under('Output', {
      encoding: text('FORM', 'the format of vectors in the reply', {
        choices: embeddingEncodings,
        default: embeddingEncodings[0],
      }),
      raw: flag('print vectors of --encoding base64 unchanged'),
      ...output('FILE', 'write a new .npy or .jsonl file; - is stdout'),
      resume: flag('continue the output file of an earlier run'),
    }),
  },
  examples: [
    'svc --local embed "first text" "second text" # offline, no account',
    'svc embed -m vendor/model --lines -f lines.txt -o lines.npy # any number of lines',
    'svc embed -m vendor/model --similar "how do I pay?" -f faq.txt --limit 5 # the five most similar lines',
  ],
  endpoints: ['embeddings.create', 'models.list', 'models.pricing', 'models.get'],
  conflicts: [
    ['--similar', '--output', '--raw', '--resume', '--skip'],
    ['--resume', '--skip'],
  ],
  needs: [
    ['--limit', '--similar'],
    ['--skip', '--lines'],
    ['--raw', '--encoding base64'],
  ],
});
