# Alt-e, bash 4 and newer: `svc do` turns the words on the line into a command, which is not run.
_svc_do() {
  [[ $READLINE_LINE == *[![:space:]]* ]] || return
  local found restore
  # Ctrl-C ends svc; without a trap, it would clear the line too.
  restore=$(trap -p INT)
  trap : INT
  if found=$(svc do -- "$READLINE_LINE") && [[ -n $found ]]; then
    READLINE_LINE=$found
    READLINE_POINT=${#found}
  fi
  trap - INT
  eval "$restore"
}

if [[ $- == *i* ]]; then
  for _svc_map in emacs-standard vi-insert; do bind -m $_svc_map -x '"\ee": _svc_do'; done
  unset _svc_map
fi
