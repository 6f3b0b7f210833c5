import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');

/** What a process needs to run a bundle from outside the repository. */
export const bundleEnv = { ...process.env, NODE_PATH: join(root, 'node_modules') };

/** A TypeScript file of the tests, made runnable by plain node; resolves to the script's path. */
export async function bundle(source: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'svc-bundle-')), 'script.cjs');
  await build({
    entryPoints: [resolve(root, source)],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql', '@napi-rs/keyring'],
    loader: { '.bash': 'text', '.fish': 'text', '.html': 'text', '.ps1': 'text', '': 'text' },
    // As require(), which uses NODE_PATH.
    supported: { 'dynamic-import': false },
    logLevel: 'error',
  });
  return outfile;
}
