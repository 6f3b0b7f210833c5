import { expect, it } from 'vitest';
import { installation, installationAt } from '../../src/commands/update/installation.js';
import { run } from '../helpers/run.js';

const here = installation();

it('svc update prints the command for this copy, and what it is on stderr', async () => {
  const stderr = `svc 0.0.0-test, installed with ${here.by} in ${here.path}. To update it:\n`;
  expect(await run('update')).toMatchObject({ code: 0, stdout: `${here.command}\n`, stderr });
  const { stdout } = await run('update --json');
  expect(JSON.parse(stdout)).toEqual({ version: '0.0.0-test', ...here, download: null });
});

/** The way, its command, and a path; in the last column, a file that is there. */
const ways = String.raw`
npm       | npm install --global svc-cli@latest | /usr/lib/node_modules/svc-cli
npm       | npm install --global svc-cli@latest | C:\Users\me\AppData\Roaming\npm\node_modules\svc-cli
npm       | npm install --prefix '/me/my app' svc-cli@latest | /me/my app/node_modules/svc-cli | /me/my app/package.json
npm       | npm install --global --prefix /opt/tools svc-cli@latest | /opt/tools/lib/node_modules/svc-cli
npx       | npx svc-cli@latest | /me/.npm/_npx/0a1b/node_modules/svc-cli
pnpm      | pnpm add --global svc-cli@latest | /me/.local/share/pnpm/global/5/.pnpm/svc-cli@1.0.0/node_modules/svc-cli
pnpm      | pnpm --dir '/me/a project' add svc-cli@latest | /me/a project/node_modules/.pnpm/svc-cli@1.0.0/node_modules/svc-cli
pnpm      | pnpm --dir /me/app add svc-cli@latest | /me/app/node_modules/svc-cli | /me/app/pnpm-lock.yaml
pnpm      | pnpm add --global svc-cli@latest | /opt/tools/global/5/.pnpm/svc-cli@1.0.0/node_modules/svc-cli
pnpm dlx  | pnpm dlx svc-cli@latest | /me/.cache/pnpm/dlx/0a1b/node_modules/svc-cli
pnpm dlx  | pnpm dlx svc-cli@latest | C:\Users\me\AppData\Local\pnpm-cache\dlx\0a1b\node_modules\.pnpm\svc-cli@1.0.0\node_modules\svc-cli
yarn      | yarn global add svc-cli@latest | /me/.config/yarn/global/node_modules/svc-cli
yarn      | yarn global add svc-cli@latest | C:\Users\me\AppData\Local\Yarn\Data\global\node_modules\svc-cli
yarn      | yarn --cwd '/me/my app' add svc-cli@latest | /me/my app/node_modules/svc-cli | /me/my app/yarn.lock
bun       | bun --cwd /me/app add svc-cli@latest | /me/app/node_modules/svc-cli | /me/app/bun.lock
bun       | bun --cwd /me/app add svc-cli@latest | /me/app/node_modules/svc-cli | /me/app/bun.lockb
bun       | bun add --global svc-cli@latest | /me/.bun/install/global/node_modules/svc-cli
bunx      | bunx svc-cli@latest | /tmp/bunx-0-svc-cli@latest/node_modules/svc-cli
git       | git -C '/me/a clone' pull && npm --prefix '/me/a clone' ci | /me/a clone | /me/a clone/.git
git       | git -C /scoop/apps/svc/src pull && npm --prefix /scoop/apps/svc/src ci | /scoop/apps/svc/src | /scoop/apps/svc/src/.git
Homebrew  | brew upgrade svc-cli | /opt/homebrew/Cellar/svc-cli/1.0.0/bin/svc
Scoop     | scoop update svc-cli | C:\Users\me\scoop\apps\svc-cli\1.0.0\svc.exe
winget    | winget upgrade Svc.Cli | C:\Users\me\AppData\Local\Microsoft\WinGet\Packages\Svc.Cli_Source_8wekyb\svc.exe
Nix       | nix profile upgrade svc-cli | /nix/store/0a1b-svc-cli-1.0.0/bin/svc
apt       | sudo apt install ./svc-cli_*.deb | /usr/bin/svc | /var/lib/dpkg/status
rpm       | sudo rpm --upgrade svc-cli-*.rpm | /usr/bin/svc | /var/lib/rpm
apk       | sudo apk add --allow-untrusted ./svc-cli-*.apk | /usr/bin/svc | /lib/apk/db/installed
the install script | PREFIX=/usr/local sh install.sh | /usr/local/bin/svc | /var/lib/dpkg/status
an archive | mv svc /opt/svc/svc | /opt/svc/svc
an archive | copy svc.exe "C:\Tools\svc.exe" | C:\Tools\svc.exe
`;

const rows = Array.from(ways.matchAll(/.+/g), ([line]) =>
  line.split('|').map((cell) => cell.trim()),
);

it.each(rows)('svc came with %s: %s, in %s', (by, command, path = '', file = '') => {
  const isBinary = /svc(\.exe)?$/.test(path);
  const exists = (name: unknown) => name === file;
  const made = installationAt(path, isBinary, exists, '/usr/bin/node');
  expect(made).toMatchObject({ path, by, command });
  const needs = /install\.sh|\*|^mv|^copy/.test(command);
  expect(made.download !== undefined).toBe(needs);
});
