/** The packages as they are published, in a registry on this machine. */
import { execFile, type ExecFileOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { fakeService } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { installed } from '../../test/bin/package.js';

const root = resolve(import.meta.dirname, '../..');

/** Runs a program without input. */
export function run(file: string, words: readonly string[], options: ExecFileOptions) {
  const running = promisify(execFile)(file, words, { ...options, encoding: 'utf8' });
  running.child.stdin?.end();
  return running;
}

export const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  optionalDependencies: z.optional(z.record(z.string(), z.string())),
});

/** An empty folder, the environment of a new user, and the packages in a registry. */
export async function newUser() {
  const home = testFolder();
  const [content, out] = [testFolder(), testFolder()];
  const isOwn = (path: string) => !path.includes('node_modules');
  cpSync(await installed(), content, { recursive: true, filter: isOwn });
  await run(process.execPath, [join(root, 'scripts/npm-packages.mjs'), out, content], {
    env: { ...process.env, SVC_PACK: 'installed' },
  });
  const entries = readdirSync(out).map(async (file) => {
    const bytes = readFileSync(join(out, file));
    const { stdout } = await run('tar', ['-xOzf', join(out, file), 'package/package.json'], {});
    return { file, bytes, manifest: Manifest.parse(JSON.parse(stdout)) };
  });
  const packages = await Promise.all(entries);
  const { origin: registry } = await fakeService(({ url }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const file = packages.find((one) => one.file === name);
    if (file) {
      response.end(file.bytes);
      return;
    }
    const { bytes = Buffer.alloc(0), manifest } = packages.find(
      (one) => one.manifest.name === name,
      // The native package of another system.
    ) ?? { manifest: { name, version: '0.5.29', os: ['aix'] } };
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const tarball = `${registry}/${name}-${manifest.version}.tgz`;
    const versions = { [manifest.version]: { ...manifest, dist: { integrity, tarball } } };
    const latest = manifest.version;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions }));
  });
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'svc'),
    npm_config_registry: registry,
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
  return { home, registry, env };
}

/** What lies below a folder: its bytes, and the native parts among it. */
export function contentOf(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  // pnpm links folders.
  const all = new Set(names.map((name) => realpathSync(join(folder, name))));
  const files = [...all].filter((path) => statSync(path).isFile());
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  return { bytes, natives: files.filter((path) => path.endsWith('.node')) };
}
