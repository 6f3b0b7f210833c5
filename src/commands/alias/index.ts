import { command, group, rarely } from '../../command.js';

const name = { name: 'name', summary: 'the name of the alias', required: true } as const;

export const set = command('set', 'name a command line', {
  description:
    'Give a command line a short name. LINE is quoted as one word and is what would follow svc; quotes inside it keep words together, as in a shell. What is typed after the name is added at the end.\nA command of svc cannot be replaced, and an alias cannot use another one.',
  args: [
    { ...name, completes: 'alias' },
    { name: 'line', summary: 'the command and its options', required: true },
  ],
  examples: [
    `svc alias set short 'chat -m vendor/model -s "Answer in one sentence."' # then: svc short "why?"`,
    `svc alias set spent 'usage chart --by model --since 7d' # then: svc spent`,
  ],
});

export const list = command('list', 'list the aliases', {
  examples: ['svc alias list # with their command lines'],
});

export const remove = command('delete', 'delete an alias', {
  args: [{ ...name, completes: 'alias' }],
  examples: ['svc alias delete short # the command itself stays'],
});

export const alias = rarely(
  group('Tools', 'alias', 'give command lines short names', [set, list, remove]),
);
