import { command, group, firstOnes } from '../../command.js';

const name = { name: 'name', summary: 'the name of the alias', required: true } as const;

export const set = command('set', 'name a command line', {
  description:
    'Give a command line a short name. LINE is what would follow svc, quoted as one word; quotes inside it keep words together, as in a shell. What you type after the name is added at the end.\nAn alias cannot replace a command of svc, and cannot use another alias.',
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
  columns: ['alias', 'command'],
  options: firstOnes,
  examples: ['svc alias list # with their command lines'],
});

export const remove = command('delete', 'delete an alias', {
  args: [{ ...name, completes: 'alias' }],
  examples: ['svc alias delete short # the command itself stays'],
});

export const alias = group('Tools', 'alias', 'give command lines short names', [set, list, remove]);
