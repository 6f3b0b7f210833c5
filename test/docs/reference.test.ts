import { expect, test } from 'vitest';
import { referencePage } from '../../scripts/generate/reference.js';
import { command, type Entry } from '../../src/command.js';
import { exits } from '../../src/exit-codes.js';
import { variables } from '../../src/cli/topics.js';

const paint = command('paint', 'paint a wall', {
  args: [{ name: 'wall', summary: 'which one', required: true, choices: ['north', 'south'] }],
  examples: ['svc paint north # a red wall'],
});
const entries: readonly Entry[] = [
  { ...paint, heading: 'Media' },
  {
    name: 'walls',
    heading: 'Text',
    summary: 'the walls',
    commands: [command('list', 'list them', {})],
  },
];

test('the page has every command, example, exit code and variable, in the order of the help', () => {
  const page = referencePage(entries);
  expect(page.indexOf('## svc walls list')).toBeGreaterThan(0);
  expect(page.indexOf('## svc paint')).toBeGreaterThan(page.indexOf('## svc walls list'));
  expect(page).toContain('- [`svc walls list`](#svc-walls-list): list them');
  expect(page).toContain('```sh\n# a red wall\nsvc paint north\n```');
  expect(page).toContain('- `<wall>`: which one; one of `north`, `south`');
  for (const [code] of Object.values(exits)) expect(page).toContain(`| ${String(code)} | `);
  for (const [name] of variables) expect(page).toContain(`| \`${name}\` | `);
});
