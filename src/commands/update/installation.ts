/** How this copy of svc was installed, by where its program is. */
import { existsSync, realpathSync } from 'node:fs';
import { execPath, versions } from 'node:process';
import { shellWord } from '../../lib/names.js';

type Way = readonly [by: string, place: RegExp, command: string, file?: string];

/** In a command, $1 is what the brackets of the place match. Of several, one has the file. */
const ways: readonly Way[] = [
  ['Homebrew', /\/Cellar\/([^/]+)\//, 'brew upgrade $1'],
  ['Scoop', /\/scoop\/apps\/([^/]+)\//i, 'scoop update $1'],
  ['winget', /\/WinGet\/Packages\/([^/_]+)_/i, 'winget upgrade $1'],
  ['Nix', /^\/nix\/store\//, 'nix profile upgrade svc-cli'],
  ['npx', /\/_npx\//, 'npx svc-cli@latest'],
  ['pnpm dlx', /\/pnpm(?:-cache)?\/dlx/, 'pnpm dlx svc-cli@latest'],
  ['bunx', /\/bunx-/, 'bunx svc-cli@latest'],
  ['pnpm', /\/pnpm\/(?:global|store)\//, 'pnpm add --global svc-cli@latest'],
  ['yarn', /\/yarn\/(?:data\/)?global\//i, 'yarn global add svc-cli@latest'],
  ['bun', /\/\.bun\/install\/global\//, 'bun add --global svc-cli@latest'],
  ['apt', /^\/usr\/bin\//, 'sudo apt install ./svc-cli_*.deb', '/var/lib/dpkg/status'],
  ['rpm', /^\/usr\/bin\//, 'sudo rpm --upgrade svc-cli-*.rpm', '/usr/lib/sysimage/rpm'],
  ['rpm', /^\/usr\/bin\//, 'sudo rpm --upgrade svc-cli-*.rpm', '/var/lib/rpm'],
  [
    'apk',
    /^\/usr\/bin\//,
    'sudo apk add --allow-untrusted ./svc-cli-*.apk',
    '/lib/apk/db/installed',
  ],
];

/** @param path the package's folder, or a single binary, with links followed. */
export function installationAt(path: string, isBinary: boolean, exists = existsSync) {
  const place = path.replaceAll('\\', '/');
  for (const [by, pattern, command, file] of ways) {
    const [found] = pattern.exec(place) ?? [];
    if (found === undefined || (file !== undefined && !exists(file))) continue;
    return { by, path, command: found.replace(pattern, command) };
  }
  if (isBinary) {
    const [prefix = ''] = path.split(/[\\/]bin[\\/][^\\/]*$/, 1);
    const script = `PREFIX=${shellWord(prefix)} sh install.sh`;
    return { by: 'the install script', path, command: script };
  }
  const folder = shellWord(path);
  if (exists(`${path}/.git`)) {
    return { by: 'git', path, command: `git -C ${folder} pull && npm --prefix ${folder} ci` };
  }
  // In the folder of a project, it is one of its dependencies.
  const [project = ''] = path.split(/[\\/]node_modules[\\/]/, 1);
  if (place.includes('/node_modules/.pnpm/')) {
    return { by: 'pnpm', path, command: `pnpm --dir ${shellWord(project)} add svc-cli@latest` };
  }
  const isOwn = exists(`${project}/package.json`);
  const where = isOwn ? `--prefix ${shellWord(project)}` : '--global';
  return { by: 'npm', path, command: `npm install ${where} svc-cli@latest` };
}

/** A program that bun made of src/, which needs no Node. */
export const isSingleBinary = versions['bun'] !== undefined && !/[\\/]bun(\.exe)?$/.test(execPath);

/** The package is the folder above dist/, or above src/. */
export const root = import.meta.dirname.replace(/[\\/](?:dist|src[\\/]commands[\\/]update)$/, '');

export const installation = () =>
  installationAt(realpathSync(isSingleBinary ? execPath : root), isSingleBinary);
