/** What each shell loads to complete svc: all of them ask `svc __complete`. */

interface Script {
  /** As the shell looks for it. */
  readonly file: string;
  readonly text: string;
}

const bash = `# bash completion for svc, 3.2 and newer: asks \`svc __complete\`.
_svc() {
  COMPREPLY=()
  # Bash splits words at = and : too; here each word is whole again, up to the cursor.
  local rest=\${COMP_LINE:0:COMP_POINT} blank token last='' i word
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blank=\${rest%%[![:space:]]*}
    rest=\${rest#"$blank"}
    token=\${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && token=$rest
    rest=\${rest#"$token"}
    if [[ -z $blank && ( $token == [=:]* || $last == [=:]* ) ]]; then
      words[\${#words[@]} - 1]+=$token
    else
      words+=("$token")
    fi
    last=$token
  done
  local count=$((\${#words[@]} - 1))
  local current=\${words[count]} before=\${words[count > 0 ? count - 1 : 0]}
  if [[ $before == [\\<\\>]* || $before == [0-9\\&][\\<\\>]* ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  # Bash replaces only what follows the last = or : of a word; the rest of it is taken off.
  [[ $last == [=:]* ]] && last=''
  local kept=\${current%"$last"}
  while IFS=$'\\t' read -r word _; do
    case $word in
      # Readline knows best about quotes, tildes and blanks.
      :file) compopt -o default 2>/dev/null ;;
      :directory) compopt -o dirnames 2>/dev/null ;;
      *)
        printf -v word %q "\${word#"$kept"}"
        COMPREPLY+=("$word")
        ;;
    esac
  done < <(svc __complete -- "\${words[@]:1}" 2>/dev/null)
}

# Bash 3.2 cannot be told within the function: there files are offered where nothing else is.
if type compopt >/dev/null 2>&1; then
  complete -F _svc svc
else
  complete -o default -F _svc svc
fi
`;

const zsh = `#compdef svc
# zsh completion for svc: asks \`svc __complete\`.
_svc() {
  local -a lines found
  local line word
  lines=("\${(@f)$(svc __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  [[ -n $lines[1] ]] || return 1
  # What stands before the value of --option=value stays.
  [[ $lines[1] == --*=* || ( $lines[1] == :* && $PREFIX == --*=* ) ]] && compset -P 1 '*='
  case $lines[1] in
    :file) _files ;;
    :directory) _files -/ ;;
    *)
      for line in $lines; do
        word=\${line%%$'\\t'*}
        [[ -n $IPREFIX ]] && word=\${word#*=}
        word=\${\${word//\\\\/\\\\\\\\}//:/\\\\:}
        [[ $line == *$'\\t'* ]] && word+=:\${\${line#*$'\\t'}//\\\\/\\\\\\\\}
        found+=("$word")
      done
      _describe -V -t values svc found
      ;;
  esac
}

if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;

const fish = `# fish completion for svc, 3.1 and newer: asks \`svc __complete\`.
function __svc_complete
    set -l current (commandline -ct)
    set -l lines (svc __complete -- (commandline -opc)[2..-1] "$current" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -l rest (string replace -r -- '^--[^=]*=' '' "$current")
    switch "$lines[1]"
        case :file
            printf "$before%s\\n" (__fish_complete_path "$rest")
        case :directory
            printf "$before%s\\n" (__fish_complete_directories "$rest" '')
        case '?*'
            printf '%s\\n' $lines
    end
end

complete -c svc -f -k -a '(__svc_complete)'
`;

const powershell = `# PowerShell completion for svc, 5.1 and newer: asks \`svc __complete\`.
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # The words before the one at the cursor.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
    # Some versions pass no empty word on to a program.
    $current = if ($wordToComplete -eq '') { '""' } else { $wordToComplete }
    $lines = @(svc __complete '--' $words $current 2>$null)
    # An empty text keeps PowerShell from offering files; without a result it offers them.
    if ($lines.Count -eq 0) { return '' }
    if ($lines[0] -in ':file', ':directory') { return }
    foreach ($line in $lines) {
        $text, $summary = $line -split "\`t", 2
        if (-not $summary) { $summary = $text }
        $quoted = if ($text -match "[^\\w./:=+-]") { "'" + ($text -replace "['\u2018-\u201b]", '$0$0') + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($quoted, $text, 'ParameterValue', $summary)
    }
}
`;

export const scripts = {
  bash: { file: 'svc.bash', text: bash },
  zsh: { file: '_svc', text: zsh },
  fish: { file: 'svc.fish', text: fish },
  powershell: { file: 'svc.ps1', text: powershell },
} as const satisfies Record<string, Script>;
