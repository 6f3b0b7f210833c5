// What svc is made of, in CycloneDX 1.5: the packages in dist/, and what binaries add. All of it is
// what package-lock.json says, so the same commit gives the same text. A package's reference is its path.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../licenses.mjs';
import { bunVersion, runtimeOf, targets } from './targets.mjs';

const file = join(import.meta.dirname, '../../package-lock.json');
const { packages: lock } = JSON.parse(readFileSync(file, 'utf8'));

/**
 * @param folders of packages, from the root: `node_modules/NAME`
 * @param names the targets of the binaries that it is about too
 * @param timestamp of the commit, as `2026-12-31T00:00:00Z`
 * @returns its text
 */
export function sbomOf(folders, names = [], timestamp) {
  const natives = names.flatMap((name) => {
    const { native, usesLibsql } = targets[name];
    return [`@napi-rs/keyring-${native}`, ...(usesLibsql ? [`@libsql/${native}`] : [])];
  });
  const paths = [...folders, ...natives.map((name) => `node_modules/${name}`)].sort();
  const runtimes = names.map(runtimeOf);
  const dependencies = paths.map((path) => ({ ref: path, dependsOn: dependenciesOf(path, paths) }));
  const brought = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  const isOurs = (path) => path.replace('node_modules/', '') in lock[''].devDependencies;
  const direct = paths.filter((path) => isOurs(path) || !brought.has(path));
  const svc = { ...lock[''], path: 'svc', type: 'application' };
  const description =
    'It links JavaScriptCore of WebKit (LGPL-2.1) and other libraries statically.';
  const bun = { description, version: bunVersion, license: 'MIT', type: 'platform' };
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { timestamp, lifecycles: [{ phase: 'build' }], component: componentOf(svc) },
    components: [
      ...paths.map((path) => componentOf({ path, ...lock[path] })),
      ...runtimes.map((name) => componentOf({ path: name, name, ...bun })),
    ],
    dependencies: [{ ref: 'svc', dependsOn: [...direct, ...runtimes] }, ...dependencies],
  };
  return `${JSON.stringify(sbom, undefined, 2)}\n`;
}

function componentOf({ path, name = path.replace(/^.*node_modules\//, ''), ...more }) {
  const { version, license, integrity = '', type = 'library' } = more;
  const { description = within[name]?.replaceAll('\n', ' ') } = more;
  const sha512 = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    type,
    'bom-ref': path,
    name,
    version,
    description,
    hashes: sha512 ? [{ alg: 'SHA-512', content: sha512 }] : undefined,
    licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** Those of the paths that a package finds as Node does: the nearest of each name. */
function dependenciesOf(path, paths) {
  const above = [path];
  while (above[0]) above.unshift(above[0].replace(/\/?node_modules\/(?:@[^/]+\/)?[^/]+$/, ''));
  const all = Object.keys(lock[path].dependencies ?? {}).map((name) =>
    above.map((at) => join(at, 'node_modules', name)).findLast((one) => one in lock),
  );
  return all.filter((one) => paths.includes(one));
}
