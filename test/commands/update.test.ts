import { expect, it } from 'vitest';
import { installation, installationAt } from '../../src/commands/update/installation.js';
import { run } from '../helpers/run.js';

const here = installation();

it('svc update prints the command for this copy, and what it is on stderr', async () => {
  const stderr = `svc 0.0.0-test, installed with ${here.by} in ${here.path}. To update it:\n`;
  expect(await run('update')).toMatchObject({ code: 0, stdout: `${here.command}\n`, stderr });
  const { stdout } = await run('update --json');
  expect(JSON.parse(stdout)).toEqual({ version: '0.0.0-test', ...here });
});

const latest = 'svc-cli@latest';
const packages: readonly (readonly [path: string, by: string, command: string, file?: string])[] = [
  ['/usr/lib/node_modules/svc-cli', 'npm', `npm install --global ${latest}`],
  [
    'C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\svc-cli',
    'npm',
    `npm install --global ${latest}`,
  ],
  [
    '/me/my app/node_modules/svc-cli',
    'npm',
    `npm install --prefix '/me/my app' ${latest}`,
    '/me/my app/package.json',
  ],
  ['/me/.npm/_npx/0a1b/node_modules/svc-cli', 'npx', `npx ${latest}`],
  [
    '/me/.local/share/pnpm/global/5/.pnpm/svc-cli@1.0.0/node_modules/svc-cli',
    'pnpm',
    `pnpm add --global ${latest}`,
  ],
  ['/me/.cache/pnpm/dlx/0a1b/node_modules/svc-cli', 'pnpm dlx', `pnpm dlx ${latest}`],
  ['/me/.config/yarn/global/node_modules/svc-cli', 'yarn', `yarn global add ${latest}`],
  [
    'C:\\Users\\me\\AppData\\Local\\Yarn\\Data\\global\\node_modules\\svc-cli',
    'yarn',
    `yarn global add ${latest}`,
  ],
  ['/me/.bun/install/global/node_modules/svc-cli', 'bun', `bun add --global ${latest}`],
  ['/tmp/bunx-0-svc-cli@latest/node_modules/svc-cli', 'bunx', `bunx ${latest}`],
  [
    '/me/a project/node_modules/.pnpm/svc-cli@1.0.0/node_modules/svc-cli',
    'pnpm',
    `pnpm --dir '/me/a project' add ${latest}`,
  ],
  [
    '/me/a clone',
    'git',
    "git -C '/me/a clone' pull && npm --prefix '/me/a clone' ci",
    '/me/a clone/.git',
  ],
];

const binaries: typeof packages = [
  ['/opt/homebrew/Cellar/svc-cli/1.0.0/bin/svc', 'Homebrew', 'brew upgrade svc-cli'],
  ['C:\\Users\\me\\scoop\\apps\\svc-cli\\1.0.0\\svc.exe', 'Scoop', 'scoop update svc-cli'],
  [
    'C:\\Users\\me\\AppData\\Local\\Microsoft\\WinGet\\Packages\\Svc.Cli_Source_8wekyb\\svc.exe',
    'winget',
    'winget upgrade Svc.Cli',
  ],
  ['/nix/store/0a1b-svc-cli-1.0.0/bin/svc', 'Nix', 'nix profile upgrade svc-cli'],
  ['/usr/bin/svc', 'apt', 'sudo apt install ./svc-cli_*.deb', '/var/lib/dpkg/status'],
  ['/usr/bin/svc', 'rpm', 'sudo rpm --upgrade svc-cli-*.rpm', '/var/lib/rpm'],
  [
    '/usr/bin/svc',
    'apk',
    'sudo apk add --allow-untrusted ./svc-cli-*.apk',
    '/lib/apk/db/installed',
  ],
  [
    '/usr/local/bin/svc',
    'the install script',
    'PREFIX=/usr/local sh install.sh',
    '/var/lib/dpkg/status',
  ],
];

it.each([
  ...packages.map((row) => ({ row, isBinary: false })),
  ...binaries.map((row) => ({ row, isBinary: true })),
])('svc in $row.0 came with $row.1: $row.2', ({ row: [path, by, command, file], isBinary }) => {
  const exists = (name: unknown) => name === file;
  expect(installationAt(path, isBinary, exists)).toEqual({ path, by, command });
});
