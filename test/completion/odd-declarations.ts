/** Declarations whose texts contain special characters of shells. */
import { command, type Entry } from '../../src/command.js';
import type { LookUp } from '../../src/command-line.js';

export const oddSummary = `it's "so": [a] \`b\` $HOME \\ ‘c’ %d (e); f|g`;
export const oddChoices = ["it's", 'two words', 'co:lon', '$HOME', 'a)b', 'x=', 'plain'] as const;

export const localModels = ['local/guide', 'local/echo'] as const;

/** Stands for what a machine knows: models, and jobs with the names of a hostile service. */
export const lookUpOdd: LookUp = (kind) =>
  Promise.resolve((kind === 'job' ? oddChoices : localModels).map((name) => ({ name })));

export const oddEntries: readonly Entry[] = [
  {
    ...command('odd', oddSummary, {
      args: [
        { name: 'kind', summary: 'of what', required: true, choices: oddChoices },
        { name: 'files', summary: 'with what', many: true, completes: 'file' },
      ],
      options: {
        pick: {
          type: 'text',
          short: 'p',
          value: 'A|B:C]',
          summary: oddSummary,
          choices: oddChoices,
        },
        folder: { type: 'text', value: 'DIR', summary: 'a folder', completes: 'directory' },
        word: { type: 'text', value: 'WORD', summary: 'anything' },
      },
    }),
    heading: 'Tools',
  },
  {
    name: 'two-part',
    heading: 'Tools',
    summary: 'has verbs',
    commands: [command('first', 'the first verb', {}), command('second', 'the second verb', {})],
  },
];

/** A folder's content for completions of files. */
export const someFiles = ['alpha.txt', 'beta file.txt', 'gamma/inner.txt'] as const;
