import { command, flag } from '../../command.js';

export const doctor = command(
  'doctor',
  'check this computer, the network, the key and the balance',
  {
    columns: ['check', 'status', 'message', 'hint'],
    heading: 'Support',
    description:
      'Check everything that svc needs, from its settings to the service, and print what to do where something is wrong. Nothing is charged, and no setting is changed. Each check of the network ends after 5 s (--timeout); --local checks no network. The exit code is 0 without a problem, and otherwise that of the first problem.',
    options: { all: flag('show every check, also on a terminal where all is well') },
    examples: [
      'svc doctor # where nothing works, or before asking for support',
      'svc doctor --json | jq \'.[] | select(.status == "problem")\' # for a script',
    ],
    endpoints: ['billing.balance'],
  },
);
