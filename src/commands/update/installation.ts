/** How this copy of svc was installed, by where its program is. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { execPath, versions } from 'node:process';
import { shellWord } from '../../lib/names.js';

type InstallWay = readonly [
  by: string,
  place: RegExp,
  command: string,
  file?: string,
  download?: string,
];

/**
 * In a command, $1 is what the brackets of the place match. Of several, one has the file. The
 * command may need a file of the new release.
 */
const ways: readonly InstallWay[] = [
  ['Homebrew', /\/Cellar\/([^/]+)\//, 'brew upgrade $1'],
  ['Scoop', /\/scoop\/apps\/([^/]+)\//i, 'scoop update $1'],
  ['winget', /\/WinGet\/Packages\/([^/_]+)_/i, 'winget upgrade $1'],
  ['Nix', /^\/nix\/store\//, 'nix profile upgrade svc-cli'],
  ['npx', /\/_npx\//, 'npx svc-cli@latest'],
  ['pnpm dlx', /\/pnpm(?:-cache)?\/dlx/, 'pnpm dlx svc-cli@latest'],
  ['bunx', /\/bunx-/, 'bunx svc-cli@latest'],
  [
    'pnpm',
    /\/pnpm\/(?:global|store)\/|\/global\/v?\d+\/.*\.pnpm\//,
    'pnpm add --global svc-cli@latest',
  ],
  ['yarn', /\/yarn\/(?:data\/)?global\//i, 'yarn global add svc-cli@latest'],
  ['bun', /\/\.bun\/install\/global\//, 'bun add --global svc-cli@latest'],
  ['apt', /^\/usr\/bin\//, 'sudo apt install ./svc-cli_*.deb', '/var/lib/dpkg/status', 'the .deb'],
  ['rpm', /^\/usr\/bin\//, 'sudo rpm --upgrade svc-cli-*.rpm', '/usr/lib/sysimage/rpm', 'the .rpm'],
  ['rpm', /^\/usr\/bin\//, 'sudo rpm --upgrade svc-cli-*.rpm', '/var/lib/rpm', 'the .rpm'],
  [
    'apk',
    /^\/usr\/bin\//,
    'sudo apk add --allow-untrusted ./svc-cli-*.apk',
    '/lib/apk/db/installed',
    'the .apk',
  ],
];

/** What adds a package to the project in a folder, by its lock file. */
const projects: Readonly<Record<string, readonly [by: string, add: string]>> = {
  'pnpm-lock.yaml': ['pnpm', 'pnpm --dir $1 add'],
  'yarn.lock': ['yarn', 'yarn --cwd $1 add'],
  'bun.lock': ['bun', 'bun --cwd $1 add'],
  'bun.lockb': ['bun', 'bun --cwd $1 add'],
  'package.json': ['npm', 'npm install --prefix $1'],
};

/**
 * @param path the package's folder, or a single binary, with links followed.
 * @param node the program, below whose prefix npm installs.
 * @returns the command, and which file of the new release it needs
 */
export function installationAt(
  path: string,
  isBinary: boolean,
  exists = existsSync,
  node = execPath,
): { by: string; path: string; command: string; download?: string | undefined } {
  const place = path.replaceAll('\\', '/');
  const folder = shellWord(path);
  if (!isBinary && exists(`${path}/.git`)) {
    return { by: 'git', path, command: `git -C ${folder} pull && npm --prefix ${folder} ci` };
  }
  for (const [by, pattern, command, file, download] of ways) {
    const [match] = pattern.exec(place) ?? [];
    if (match === undefined || (file !== undefined && !exists(file))) continue;
    return { by, path, command: match.replace(pattern, command), download };
  }
  if (isBinary) return unpacked(path);
  // In the folder of a project, it is one of its dependencies.
  const [project = ''] = path.split(/[\\/]node_modules[\\/]/, 1);
  for (const [file, [by, add]] of Object.entries(projects)) {
    const isOfPnpm = by === 'pnpm' && place.includes('/node_modules/.pnpm/');
    if (!isOfPnpm && !exists(`${project}/${file}`)) continue;
    return { by, path, command: `${add.replace('$1', () => shellWord(project))} svc-cli@latest` };
  }
  const [, prefix] = /^(.*)\/lib\/node_modules\//.exec(place) ?? [];
  const isUsual = prefix === undefined || prefix === dirname(dirname(node));
  const where = isUsual ? '--global' : `--global --prefix ${shellWord(prefix)}`;
  return { by: 'npm', path, command: `npm install ${where} svc-cli@latest` };
}

/** A single binary that no package manager knows of. */
function unpacked(path: string) {
  const [, prefix] = /^(.*)\/bin\/[^/]*$/.exec(path) ?? [];
  if (prefix !== undefined) {
    const command = `PREFIX=${shellWord(prefix || '/')} sh install.sh`;
    return { by: 'the install script', path, command, download: 'install.sh' };
  }
  const command = path.endsWith('.exe') ? `copy svc.exe "${path}"` : `mv svc ${shellWord(path)}`;
  return { by: 'an archive', path, command, download: 'and unpack the archive' };
}

/** A program that bun made of src/, which needs no Node. */
export const isSingleBinary = versions['bun'] !== undefined && !/[\\/]bun(\.exe)?$/.test(execPath);

/** The package is the folder above dist/, or above src/. */
export const root = import.meta.dirname.replace(/[\\/](?:dist|src[\\/]commands[\\/]update)$/, '');

export const installation = () =>
  installationAt(realpathSync(isSingleBinary ? execPath : root), isSingleBinary);
