import { command } from '../../command.js';

export const update = command('update', 'print the command that updates svc', {
  heading: 'Support',
  description:
    'Print the command that updates this copy of svc, however it was installed. Nothing is run and nothing is sent: svc never looks for new versions.',
  examples: [
    'svc update # the command to type',
    'svc update --json | jq -r .by # how svc was installed',
  ],
});
