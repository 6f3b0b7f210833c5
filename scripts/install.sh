#!/bin/sh
# Installs svc below $PREFIX, by default ~/.local: the binary for this machine, its man pages,
# completions and licences. Nothing is unpacked before its checksum is right, and nothing is
# installed before the binary has started. $SVC_RELEASE_URL is where releases are, if elsewhere.
set -eu

version=@VERSION@
release=${SVC_RELEASE_URL:-@RELEASES@}/v$version
prefix=${PREFIX:-${HOME:+$HOME/.local}}
case $prefix in /* | '') ;; *) prefix=$PWD/$prefix ;; esac

fail() {
  echo "error: $1" >&2
  exit 1
}

target() {
  case $(uname -sm) in
    'Linux x86_64') machine=linux-x64 ;;
    'Linux aarch64') machine=linux-arm64 ;;
    'Darwin x86_64') machine=darwin-x64 ;;
    'Darwin arm64') machine=darwin-arm64 ;;
    *) fail "there is no binary for $(uname -sm); with Node: npm install --global svc-cli" ;;
  esac
  if ldd --version 2>&1 | grep -qi musl; then machine=$machine-musl; fi
  echo "$machine"
}

fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --proto-redir =https -o "$1" "$release/$1"
  else
    command -v wget >/dev/null || fail 'curl or wget is needed; nothing was installed'
    wget -q -O "$1" "$release/$1"
  fi || fail "$release/$1 was not downloaded"
}

is_right() {
  grep "^[0-9a-f]\{64\}  $1\$" SHA256SUMS >sum || return 1
  if command -v sha256sum >/dev/null; then check='sha256sum'; else check='shasum -a 256'; fi
  command -v "${check%% *}" >/dev/null || fail 'sha256sum or shasum is needed; nothing was installed'
  $check -c sum >/dev/null 2>&1
}

# A copy beside the place of a file: a running svc keeps the file that it was started from.
copy() {
  mkdir -p "$(dirname "$prefix/$2")" 2>/dev/null ||
    fail "no folder can be made in $prefix; set PREFIX to another folder"
  new=$prefix/$2.new
  cp "$1" "$new" || fail "$prefix/$2 was not written"
}

put() {
  copy "$1" "$2"
  mv -f "$new" "$prefix/$2"
}

# Called in the last line: a script that is cut off does nothing.
main() {
  [ "$prefix" ] || fail 'HOME is not set; set PREFIX to the folder to install to'
  name=svc-$version-$(target)
  work=$(mktemp -d)
  umask 022
  new=$work/none
  trap 'rm -rf "$work" "$new"' EXIT
  trap 'exit 1' HUP INT TERM
  cd "$work"
  fetch SHA256SUMS
  fetch "$name.tar.xz"
  is_right "$name.tar.xz" || fail "$name.tar.xz differs from SHA256SUMS; nothing was installed"
  tar -xJf "$name.tar.xz" ||
    fail "$name.tar.xz was not unpacked; it needs tar with xz, and space in ${TMPDIR:-/tmp}"
  cd "$name"
  copy svc bin/svc
  started=$("$new" --version) ||
    fail 'svc does not start here; nothing was installed; on Alpine it needs: apk add libstdc++ libgcc'
  mv -f "$new" "$prefix/bin/svc"
  for page in man/*; do put "$page" "share/man/man1/${page#man/}"; done
  put completions/svc.bash share/bash-completion/completions/svc
  put completions/_svc share/zsh/site-functions/_svc
  put completions/svc.fish share/fish/vendor_completions.d/svc.fish
  put LICENSE share/doc/svc-cli/LICENSE
  put licenses.txt share/doc/svc-cli/licenses.txt
  echo "$prefix/bin/svc is version $started"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "Add it to PATH in the start file of your shell: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

main
