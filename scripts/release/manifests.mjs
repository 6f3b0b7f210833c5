// What Homebrew, Scoop, winget and Nix need to install the archives of a release.
import { stringify } from 'yaml';
import { about } from './about.mjs';

const { name, version, license, homepage, summary, downloads } = about;
const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`;
const folderOf = (file) => file.replace(/\.(tar\.xz|zip)$/, '');

/** What Nix and Homebrew call the machines of a target. */
const machines = {
  'darwin-arm64': ['aarch64-darwin', 'on_macos', 'on_arm'],
  'darwin-x64': ['x86_64-darwin', 'on_macos', 'on_intel'],
  'linux-arm64': ['aarch64-linux', 'on_linux', 'on_arm'],
  'linux-x64': ['x86_64-linux', 'on_linux', 'on_intel'],
};

/**
 * @param archives the `{file, sha256}` of each target
 * @returns the text of each manifest by its file name
 */
export function manifests(archives) {
  const sources = Object.entries(machines).flatMap(([target, [system, os, cpu]]) =>
    target in archives ? [{ system, os, cpu, ...archives[target] }] : [],
  );
  const windows = archives['windows-x64'];
  return {
    [`${name}.rb`]: homebrew(sources),
    [`${name}.nix`]: nix(sources),
    ...(windows && { [`${name}.json`]: scoop(windows), ...winget(windows) }),
  };
}

function homebrew(sources) {
  const urls = ({ cpu, file, sha256 }) => `
    ${cpu} do
      url "${downloads}/${file}"
      sha256 "${sha256}"
    end
`;
  const blocks = ['on_macos', 'on_linux'].map((os) => {
    const own = sources.filter((source) => source.os === os).map(urls);
    return `\n  ${os} do${own.join('')}  end\n`;
  });
  return `class ${name.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())} < Formula
  desc "${sentence}"
  homepage "${homepage}"
  version "${version}"
  license "${license}"
${blocks.join('')}
  conflicts_with "daemontools", because: "both install \`svc\`"

  def install
    bin.install "svc"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/svc.bash" => "svc"
    zsh_completion.install "completions/_svc"
    fish_completion.install "completions/svc.fish"
    doc.install "LICENSE", "licenses.txt", "CHANGELOG.md", "docs/manual"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/svc --version").chomp
  end
end
`;
}

function scoop({ file, sha256 }) {
  const source = { url: `${downloads}/${file}`, hash: sha256, extract_dir: folderOf(file) };
  const about = { version, description: sentence, homepage, license };
  return `${JSON.stringify({ ...about, architecture: { '64bit': source }, bin: 'svc.exe' }, null, 2)}\n`;
}

function winget({ file, sha256 }) {
  const id = `svc.${name}`;
  const manifest = (type, fields) => {
    const head = { PackageIdentifier: id, PackageVersion: version };
    return stringify({ ...head, ...fields, ManifestType: type, ManifestVersion: '1.6.0' });
  };
  const program = {
    RelativeFilePath: `${folderOf(file)}\\svc.exe`,
    PortableCommandAlias: 'svc',
  };
  const installer = {
    Architecture: 'x64',
    InstallerUrl: `${downloads}/${file}`,
    InstallerSha256: sha256.toUpperCase(),
  };
  return {
    [`${id}.yaml`]: manifest('version', { DefaultLocale: 'en-US' }),
    [`${id}.locale.en-US.yaml`]: manifest('defaultLocale', {
      PackageLocale: 'en-US',
      Publisher: 'svc',
      PackageName: name,
      PackageUrl: homepage,
      License: license,
      ShortDescription: sentence,
    }),
    [`${id}.installer.yaml`]: manifest('installer', {
      InstallerType: 'zip',
      NestedInstallerType: 'portable',
      NestedInstallerFiles: [program],
      Installers: [installer],
    }),
  };
}

function nix(sources) {
  const blocks = sources.map(
    ({ system, file, sha256 }) => `
    ${system} = fetchurl {
      url = "${downloads}/${file}";
      sha256 = "${sha256}";
    };`,
  );
  return `# nix-build -E 'with import <nixpkgs> {}; callPackage ./${name}.nix {}'
{ lib, stdenv, fetchurl, installShellFiles, makeWrapper, patchelf }:
stdenv.mkDerivation {
  pname = "${name}";
  version = "${version}";
  src = {${blocks.join('')}
  }.\${stdenv.hostPlatform.system};
  nativeBuildInputs = [ installShellFiles makeWrapper patchelf ];
  # A single binary that is stripped is the runtime alone.
  dontStrip = true;
  dontPatchELF = true;
  installPhase = ''
    install -D svc $out/bin/svc
    installManPage man/*.1
    installShellCompletion --bash --name svc.bash completions/svc.bash
    installShellCompletion --zsh completions/_svc
    installShellCompletion --fish completions/svc.fish
  '' + lib.optionalString stdenv.hostPlatform.isLinux ''
    patchelf --set-interpreter "$(cat $NIX_CC/nix-support/dynamic-linker)" $out/bin/svc
    wrapProgram $out/bin/svc --prefix LD_LIBRARY_PATH : \${stdenv.cc.cc.lib}/lib
  '';
  meta = {
    description = "${sentence}";
    homepage = "${homepage}";
    license = lib.licenses.${license.toLowerCase()};
    mainProgram = "svc";
  };
}
`;
}
