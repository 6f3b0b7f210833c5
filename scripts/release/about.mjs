// What every package and manifest says about svc.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDeclarations } from '../declarations.mjs';

const root = join(import.meta.dirname, '../..');
const pkg = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lastCommit = () => execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root });
const { releasesOf } = await readDeclarations('scripts/release/repository.ts');
const releases = releasesOf(pkg, process.env) ?? 'https://example.com/svc/releases';
const { SOURCE_DATE_EPOCH: epoch = String(lastCommit()).trim() } = process.env;

export const about = {
  name: pkg.name,
  version: pkg.version,
  license: pkg.license,
  repository: pkg.repository,
  homepage: pkg.homepage ?? releases.replace(/\/releases(\/download)?$/, ''),
  description: pkg.description,
  /** At most 80 characters without an article, as packagers ask. */
  summary: pkg.description.replace(/^The /, '').replace(/, with .*/, ''),
  maintainer: 'The maintainers of svc <svc@example.com>',
  /** Where the files of all releases are, and of this one. */
  releases,
  downloads: `${releases}/v${pkg.version}`,
  /** The time of all files, in seconds: the same commit makes the same bytes. */
  epoch,
  date: new Date(epoch * 1000).toISOString().slice(0, 10),
};
