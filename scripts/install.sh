#!/bin/sh
# Installs svc below $PREFIX, by default ~/.local: the binary for this machine, its man pages,
# completions and licences. Nothing is unpacked before its checksum is right, and nothing is
# installed before the binary has started. $SVC_RELEASE_URL is where releases are, if elsewhere.
# With --uninstall, it removes from there what it has installed, and nothing else.
set -eu

version=@VERSION@
release=${SVC_RELEASE_URL:-@RELEASES@}/v$version
prefix=${PREFIX:-${HOME:+$HOME/.local}}
case $prefix in /* | '') ;; *) prefix=$PWD/$prefix ;; esac
doc=share/doc/svc-cli
# The places of all files, for --uninstall: other programs may have a page svc-NAME.1.
list=$prefix/$doc/installed.txt

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

# Its place is noted before the file is there.
move() {
  grep -qxF "$1" "$list" 2>/dev/null || echo "$1" >>"$list"
  mv -f "$new" "$prefix/$1"
}

put() {
  copy "$1" "$2"
  move "$2"
}

uninstall() {
  if [ ! -f "$list" ]; then
    echo "Nothing to remove: install.sh has installed nothing in $prefix"
    return
  fi
  data=$("$prefix/bin/svc" config path --json 2>/dev/null | grep '"') ||
    data='  ~/.config/svc, ~/.local/share/svc and ~/.cache/svc, or where SVC_CONFIG_DIR or XDG_* say'
  pages=0
  while read -r path; do
    if [ ! -e "$prefix/$path" ]; then continue; fi
    rm -f "$prefix/$path" || fail "$prefix/$path was not removed; the rest is still there"
    case $path in share/man/*) pages=$((pages + 1)) ;; *) echo "Removed $prefix/$path" ;; esac
  done <"$list"
  rm "$list"
  rmdir "$prefix/$doc" 2>/dev/null || echo "$prefix/$doc has other files, and stays"
  echo "Removed $pages man pages from $prefix/share/man/man1"
  echo 'Your settings, keys and data are not removed. They are in:'
  echo "$data"
}

# Called in the last line: a script that is cut off does nothing.
main() {
  [ "$prefix" ] || fail 'HOME is not set; set PREFIX to the folder that has, or gets, bin/svc'
  case ${1-} in
    '') ;;
    --uninstall)
      uninstall
      exit
      ;;
    *) fail "$1 is not known; without an option it installs svc, --uninstall removes it" ;;
  esac
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
  mkdir -p "$prefix/$doc"
  move bin/svc
  for page in man/*; do put "$page" "share/man/man1/${page#man/}"; done
  put completions/svc.bash share/bash-completion/completions/svc
  put completions/_svc share/zsh/site-functions/_svc
  put completions/svc.fish share/fish/vendor_completions.d/svc.fish
  put LICENSE "$doc/LICENSE"
  put licenses.txt "$doc/licenses.txt"
  echo "$prefix/bin/svc is version $started"
  case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "Add it to PATH in the start file of your shell: export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
}

main "$@"
