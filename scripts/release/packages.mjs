// The packages of Linux distributions, made from the folder that is also in the target's archive.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { about } from './about.mjs';

const env = { ...process.env, SOURCE_DATE_EPOCH: about.epoch };
const run = (program, words, cwd) => promisify(execFile)(program, words, { cwd, env });

const { name, license, homepage, description, summary, maintainer, epoch } = about;
const doc = `usr/share/doc/${name}`;
/** Where a package puts what is in the folder. */
const placesIn = (format) => ({
  svc: 'usr/bin/svc',
  man: 'usr/share/man/man1',
  'completions/svc.bash': 'usr/share/bash-completion/completions/svc',
  'completions/_svc': `usr/share/zsh/${format === 'deb' ? 'vendor-completions' : 'site-functions'}/_svc`,
  'completions/svc.fish': 'usr/share/fish/vendor_completions.d/svc.fish',
  LICENSE: `${doc}/${format === 'deb' ? 'copyright' : 'LICENSE'}`,
  'licenses.txt': `${doc}/licenses.txt`,
  'build.json': `${doc}/build.json`,
  'sbom.cdx.json': `${doc}/sbom.cdx.json`,
  'CHANGELOG.md': `${doc}/changelog`,
  'docs/manual': `${doc}/manual`,
});
/** A version before the release comes first: 1.0.0~rc.1. GitHub has no `~` in the names of files. */
const version = about.version.replace('-', '~');
/** What the runtime needs. */
const glibc = '2.17';
/** It has a program svc too. */
const conflict = 'daemontools';

/**
 * Makes each package that the target has a processor's name for, all at the same time.
 * @param level of xz, in a .deb and an .rpm
 */
export async function makePackages(folder, target, out, level) {
  const work = join(out, '.work');
  const formats = Object.entries({ deb: makeDeb, rpm: makeRpm, apk: makeApk });
  const made = formats.map(async ([format, make]) => {
    if (!target[format]) return;
    const root = join(work, format, 'root');
    for (const [from, to] of Object.entries(placesIn(format))) {
      await cp(join(folder, from), join(root, to), { recursive: true });
    }
    await run('gzip', ['-9nr', 'usr/share/man'], root);
    const files = await listOf('f', root);
    const sizes = await Promise.all(files.map(async (path) => (await stat(join(root, path))).size));
    const size = sizes.reduce((sum, one) => sum + one, 0);
    await make({ root, files, size, arch: target[format], out, level });
  });
  await Promise.all(made);
  await rm(work, { recursive: true, force: true });
}

/** @param type `f` for files, `d` for folders */
async function listOf(type, root) {
  const { stdout } = await run('find', ['usr', '-type', type], root);
  return stdout.trim().split('\n').sort();
}

async function makeDeb({ root, files, size, arch, out, level }) {
  const control = `Package: ${name}
Version: ${version}
Architecture: ${arch}
Maintainer: ${maintainer}
Installed-Size: ${Math.ceil(size / 1024)}
Depends: libc6 (>= ${glibc}), libgcc-s1 | libgcc1
Conflicts: ${conflict}
Section: utils
Priority: optional
Homepage: ${homepage}
Description: ${summary}
 ${description}
`;
  await mkdir(join(root, 'DEBIAN'));
  await writeFile(join(root, 'DEBIAN/control'), control);
  const { stdout: sums } = await run('md5sum', files, root);
  await writeFile(join(root, 'DEBIAN/md5sums'), sums);
  const file = join(out, `${name}_${about.version}_${arch}.deb`);
  await run('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${level}`, '--build', root, file]);
}

async function makeRpm({ root, files, arch, out, level }) {
  const folders = (await listOf('d', root)).filter((path) => path.startsWith(doc));
  // A single binary that is stripped, as is done after %install, is only the runtime.
  const spec = `%define __os_install_post %{nil}
%define _build_id_links none
%define _build_name_fmt %%{NAME}-${about.version}-%%{RELEASE}.%%{ARCH}.rpm
%define _binary_payload w${level}T0.xzdio
%define _buildhost localhost
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
Name: ${name}
Version: ${version}
Release: 1
Summary: ${summary}
License: ${license}
URL: ${homepage}
AutoReqProv: no
Requires: glibc >= ${glibc}, libgcc
Conflicts: ${conflict}
%description
${description}
%files
%defattr(-,root,root)
${folders.map((path) => `%dir /${path}`).join('\n')}
${files.map((path) => `${/licen[cs]e/i.test(path) ? '%license ' : ''}/${path}`).join('\n')}
`;
  const work = join(root, '..');
  const path = join(work, 'svc.spec');
  await writeFile(path, spec);
  const places = ['-D', `_topdir ${work}`, '-D', `_rpmdir ${out}`, '--buildroot', root];
  await run('rpmbuild', ['-bb', '--target', `${arch}-linux`, ...places, path]).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    console.error('no .rpm is made: rpmbuild is not installed (on Debian: package rpm)');
  });
}

/** Version 2 of the format: the parts of one tar archive, each in a gzip stream of its own. */
async function makeApk({ root, files, size, arch, out }) {
  const folders = await listOf('d', root);
  const entries = folders.map((path) => tarEntry(`${path}/`, '5', 0o755));
  for (const path of files) {
    const content = await readFile(join(root, path));
    const sha1 = createHash('sha1').update(content).digest('hex');
    const sum = Buffer.from(`68 APK-TOOLS.checksum.SHA1=${sha1}\n`);
    const mode = path.startsWith('usr/bin/') ? 0o755 : 0o644;
    entries.push(tarEntry(path, 'x', 0o644, sum), tarEntry(path, '0', mode, content));
  }
  const data = await promisify(gzip)(Buffer.concat([...entries, Buffer.alloc(1024)]));
  const pkgver = `${version.replace(/~(\D+)\./, '_$1')}-r0`;
  const info = `pkgname = ${name}
pkgver = ${pkgver}
pkgdesc = ${summary}
url = ${homepage}
builddate = ${epoch}
packager = ${maintainer}
size = ${size}
arch = ${arch}
license = ${license}
depend = musl
depend = libstdc++
depend = libgcc
datahash = ${createHash('sha256').update(data).digest('hex')}
`;
  const control = gzipSync(tarEntry('.PKGINFO', '0', 0o644, Buffer.from(info)));
  await writeFile(join(out, `${name}-${pkgver}.${arch}.apk`), Buffer.concat([control, data]));
}

/** The header of an entry of a tar archive, and its content up to the next whole block. */
function tarEntry(path, type, mode, content = Buffer.alloc(0)) {
  const block = Buffer.alloc(512 + Math.ceil(content.length / 512) * 512);
  const octal = (value, length) => Number(value).toString(8).padStart(length, '0');
  const fields = {
    0: path,
    100: octal(mode, 7),
    108: octal(0, 7),
    116: octal(0, 7),
    124: octal(content.length, 11),
    136: octal(epoch, 11),
    148: ' '.repeat(8),
    156: type,
    257: 'ustar\x0000',
  };
  for (const [at, text] of Object.entries(fields)) block.write(text, Number(at));
  const sum = block.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0`, 148);
  content.copy(block, 512);
  return block;
}
