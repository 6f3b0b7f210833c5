import { command, type Loaded } from '../../cli/declaration.js';
import { embeddingEncodings } from '../../contract/enums.js';

export const defaultBatch = 64;
export const defaultCount = 10;

export const embed = {
  ...command({
    name: 'embed',
    summary: 'turn texts into vectors, or rank texts by meaning',
    description:
      'Turn texts into vectors. Each argument is a text; without one, the file of -f or what is piped in is. With --lines each of its lines is a text.\nThe result is a vector a line, as JSON; -o writes a file for NumPy instead, or lines.',
    args: [{ name: 'text', summary: 'what to turn into a vector', many: true }],
    options: {
      model: {
        type: 'text',
        short: 'm',
        value: 'ID',
        summary: 'the embeddings model',
        completes: 'model',
      },
      file: {
        type: 'text',
        short: 'f',
        value: 'FILE|-',
        summary: 'read the text from this file',
        completes: 'file',
        heading: 'Input',
      },
      lines: { type: 'switch', summary: 'every line is a text', heading: 'Input' },
      skip: {
        type: 'integer',
        value: 'N',
        summary: 'leave out this many lines, to go on after them',
        min: 0,
        heading: 'Input',
      },
      batch: {
        type: 'integer',
        value: 'N',
        summary: 'send at most this many lines at once',
        min: 1,
        max: 2048,
        default: String(defaultBatch),
        heading: 'Input',
      },
      similar: {
        type: 'text',
        value: 'QUERY',
        summary: 'rank the lines by how near they are to this instead',
        heading: 'Ranking',
      },
      count: {
        type: 'integer',
        short: 'n',
        value: 'N',
        summary: 'how many of the nearest',
        min: 1,
        max: 100_000,
        default: String(defaultCount),
        heading: 'Ranking',
      },
      encoding: {
        type: 'text',
        value: 'FORM',
        summary: 'how vectors travel',
        choices: embeddingEncodings,
        default: embeddingEncodings[0],
        heading: 'Output',
      },
      raw: {
        type: 'switch',
        summary: 'print vectors of --encoding base64 as they are',
        heading: 'Output',
      },
      output: {
        type: 'text',
        short: 'o',
        value: 'FILE',
        summary: 'write a new .npy or .jsonl file; - is stdout',
        completes: 'file',
        heading: 'Output',
      },
      force: { type: 'switch', summary: 'replace the file of -o', heading: 'Output' },
      resume: {
        type: 'switch',
        summary: 'go on with the file of -o where an earlier run stopped',
        heading: 'Output',
      },
    },
    examples: [
      { command: 'svc --local embed "first text" "second text"', note: 'offline, no account' },
      {
        command: 'svc embed -m vendor/model --lines -f lines.txt -o lines.npy',
        note: 'a million lines, in flat memory',
      },
      {
        command: 'svc embed -m vendor/model --similar "how do I pay?" -f faq.txt -n 5',
        note: 'the five nearest lines',
      },
    ],
    endpoints: ['embeddings.create', 'models.list', 'models.pricing', 'models.get'],
    load: (): Promise<Loaded> => import('./embed.js'),
  }),
  heading: 'Text',
} as const;
