import { command, flag } from '../../command.js';

export const open = command('open', 'open a result, a file or the manual', {
  heading: 'Tools',
  description:
    'Open the first saved result of a job, a file, or the manual in the system viewer, and print its path. Without a terminal, or with --json, only print it.',
  args: [
    {
      name: 'what',
      summary: 'a job (its id, its first characters, or @last), a file, or `docs`',
      required: true,
      completes: 'file',
    },
  ],
  options: { preview: flag('show an image in this terminal instead') },
  conflicts: [['--preview', '--json']],
  examples: [
    'svc open @last # the first result of the newest job',
    'svc open docs # the manual that is installed with svc',
  ],
});
