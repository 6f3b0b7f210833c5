# bash completion for svc, 3.2 and newer: asks `svc __complete`.
_svc() {
  COMPREPLY=()
  # Bash splits words at = and : too; here each word is whole again, up to the cursor.
  local rest=${COMP_LINE:0:COMP_POINT} blank token last='' i word
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=${rest%%[![:space:]]*}
    rest=${rest#"$blank"}
    token=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && token=$rest
    rest=${rest#"$token"}
    if [[ -z $blank && ( $token == [=:]* || $last == [=:]* ) ]]; then
      words[${#words[@]} - 1]+=$token
    else
      words+=("$token")
    fi
    last=$token
  done
  local count=$((${#words[@]} - 1))
  local current=${words[count]} before=${words[count > 0 ? count - 1 : 0]}
  if [[ $before == [\<\>]* || $before == [0-9\&][\<\>]* ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  # Bash replaces only what follows the last = or : of a word; the rest of it is taken off.
  [[ $last == [=:]* ]] && last=''
  local kept=${current%"$last"} quote=${last:0:1}
  # svc reads names with blanks without their quotes.
  kept=${kept//[\\\"\']/}
  words=("${words[@]//[\\\"\']/}")
  local summary width=0
  local -a summaries=()
  while IFS=$'\t' read -r word summary; do
    case $word in
      # Readline knows best about quotes, tildes and blanks.
      :file) compopt -o default 2>/dev/null ;;
      :directory) compopt -o dirnames 2>/dev/null ;;
      *)
        # A value follows, as in `seconds=5`.
        [[ $word == *= ]] && compopt -o nospace 2>/dev/null
        word=${word#"$kept"}
        # Readline closes an open quote.
        if [[ $quote != [\"\'] ]]; then
          printf -v word %q "$word"
        elif [[ $word == *[\\\"\'\$\`]* ]]; then
          continue
        fi
        COMPREPLY+=("$word")
        summaries+=("$summary")
        ((${#word} > width)) && width=${#word}
        ;;
    esac
  done < <(svc __complete -- "${words[@]:1}" 2>/dev/null)
  # A second Tab lists them, and changes nothing on the line: each with its summary beside it.
  ((COMP_TYPE == 63 && ${#COMPREPLY[@]} > 1)) || return 0
  for i in "${!COMPREPLY[@]}"; do
    [[ ${summaries[i]} ]] || continue
    printf -v word '%-*s  %s' "$width" "${COMPREPLY[i]}" "${summaries[i]}"
    COMPREPLY[i]=${word:0:${COLUMNS:-80}-1}
  done
}

# Bash 3.2 has no compopt: there, files are offered where nothing else is. Before 4.4, bash sorts.
if type compopt >/dev/null 2>&1; then
  complete -o nosort -F _svc svc 2>/dev/null || complete -F _svc svc
else
  complete -o default -F _svc svc
fi
