import { command, flag, text } from '../../command.js';
import { priceNote } from '../../jobs/options.js';

export const doCommand = command('do', 'turn words into a shell command', {
  heading: 'Tools',
  description: `Ask a model for one shell command, and print it with its risk. It runs only with --run, after you have confirmed it. With \`-\` as the first or last word, piped text is context for the model.\nsvc raises the risk that the model states when it recognises a dangerous command. This is no guarantee: read the command before you run it.\n${priceNote}`,
  args: [{ name: 'words', summary: 'what the command should do', required: true, many: true }],
  options: {
    model: text.model('the model (see `svc models list`)'),
    run: flag('ask, then run the command; svc exits with its exit code'),
    shell: text('SHELL', 'the shell to write for and to run in (default: $SHELL)'),
  },
  examples: [
    'svc do "find the largest files" # print the command',
    'svc do --run "count the lines of all Python files" # ask, then run it',
    'tail -50 build.log | svc do - "fix this" # with context',
    'svc do "sort words.txt by length" --json | jq -r .risk # only the risk',
  ],
  endpoints: ['chat.create'],
  conflicts: [['--run', '--json']],
});
