import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { addressesOf, releasesOf } from '../../scripts/release/repository.js';
import { root } from '../docs/pages.js';
import { testFolder } from '../helpers/folder.js';

const Manifest = z.looseObject({
  version: z.string(),
  repository: z.optional(z.union([z.string(), z.object({ url: z.string() })])),
});
const manifest = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const slug = addressesOf(manifest.repository)?.slug ?? 'OWNER/svc';

it('no file but package.json has an address of the project, or another than it says', () => {
  const words = ['ls-files', ':!test', ':!bench', ':!package.json', ':!*-lock.json', ':!*.svg'];
  const files = execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const makesThem = ['.github/workflows/release.yml', 'scripts/release/about.mjs'];
  const named = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8').replaceAll(`uses: ${slug}@`, '');
    return (
      /\/releases\/download|example\.com\/svc|uses: [\w-]+\/svc/.test(text) || text.includes(slug)
    );
  });
  expect(named).toEqual([...makesThem, 'scripts/release/repository.ts']);
});

it('package managers and registries get what package.json says, or SVC_RELEASE_URL', () => {
  const folder = testFolder();
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  for (const name of ['node_modules', 'src']) symlinkSync(join(root, name), join(folder, name));
  const repository = 'github:Some-One/svc.js';
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, repository }));
  const archive = { file: 'a.zip', sha256: '0' };
  const code = `const { manifests } = await import('./scripts/release/manifests.mjs');
    const all = manifests({ 'linux-x64': ${JSON.stringify(archive)}, 'windows-x64': ${JSON.stringify(archive)} });
    console.log(Object.values(all).join())`;
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    ...{ cwd: folder, encoding: 'utf8' },
    env: { PATH: process.env['PATH'], SOURCE_DATE_EPOCH: '1' },
  });
  const links = text.match(/https:\/\/[^"\s]+/g) ?? [];
  const home = 'https://github.com/Some-One/svc.js';
  const download = `${home}/releases/download/v${manifest.version}/a.zip`;
  expect([...new Set(links)].sort()).toEqual([home, download]);
  const env = { SVC_RELEASE_URL: 'https://mirror.example/releases' };
  expect(releasesOf({ repository }, env)).toBe(env.SVC_RELEASE_URL);
  expect(releasesOf({}, {})).toBeUndefined();
});
