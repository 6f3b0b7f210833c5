import { command, flag, integer, type Loaded, output, text, under } from '../../cli/declaration.js';
import { embeddingEncodings } from '../../contract/enums.js';

export const defaultBatch = 64;
export const defaultCount = 10;

export const embed = command('embed', 'turn texts into vectors, or rank texts by meaning', {
  heading: 'Text',
  description:
    'Turn texts into vectors. Each argument is a text; without one, the file of -f or what is piped in is. With --lines each of its lines is a text.\nThe result is a vector a line, as JSON; -o writes a file for NumPy instead, or lines.',
  args: [{ name: 'text', summary: 'what to turn into a vector', many: true }],
  options: {
    model: text.model('the embeddings model'),
    ...under('Input', {
      file: text('FILE|-', 'read the text from this file', { short: 'f' }),
      lines: flag('every line is a text'),
      skip: integer('N', 'leave out this many lines, to go on after them', { min: 0 }),
      batch: integer('N', 'send at most this many lines at once', {
        min: 1,
        max: 2048,
        default: String(defaultBatch),
      }),
    }),
    ...under('Ranking', {
      similar: text('QUERY', 'rank the lines by how near they are to this instead'),
      count: integer('N', 'how many of the nearest', {
        short: 'n',
        min: 1,
        max: 100_000,
        default: String(defaultCount),
      }),
    }),
    ...under('Output', {
      encoding: text('FORM', 'how vectors travel', {
        choices: embeddingEncodings,
        default: embeddingEncodings[0],
      }),
      raw: flag('print vectors of --encoding base64 as they are'),
      ...output('FILE', 'write a new .npy or .jsonl file; - is stdout'),
      resume: flag('go on with the file of -o where an earlier run stopped'),
    }),
  },
  examples: [
    'svc --local embed "first text" "second text" # offline, no account',
    'svc embed -m vendor/model --lines -f lines.txt -o lines.npy # a million lines, in flat memory',
    'svc embed -m vendor/model --similar "how do I pay?" -f faq.txt -n 5 # the five nearest lines',
  ],
  endpoints: ['embeddings.create', 'models.list', 'models.pricing', 'models.get'],
  conflicts: [
    ['--similar', '--output', '--raw', '--resume', '--skip'],
    ['--resume', '--skip'],
  ],
  needs: [
    ['-n', '--similar'],
    ['--skip', '--lines'],
    ['--raw', '--encoding base64'],
  ],
  load: (): Promise<Loaded> => import('./embed.js'),
});
