import { command, flag, type Loaded } from '../../cli/declaration.js';

export const logout = {
  ...command({
    name: 'logout',
    summary: 'remove the stored key',
    description: 'Removes the key of the profile and keeps its other settings.',
    options: { all: flag('remove the keys of all profiles') },
    examples: [
      { command: 'svc logout', note: 'the profile in use' },
      { command: 'svc logout --all', note: 'every stored key' },
    ],
    load: (): Promise<Loaded> => import('./logout.js'),
  }),
  heading: 'Account',
} as const;
