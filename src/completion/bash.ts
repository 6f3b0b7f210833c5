/** Completion for bash 3.2 and newer. */
import { singleQuoted } from '../lib/shell-word.js';
import { nodesOf, type Flag, type Node, type Offer, type Tree } from './tree.js';

/** The script to source. */
export function bashScript({ root, globals, localModels }: Tree): string {
  const nodes = nodesOf(root);
  return `# bash completion for svc, made from its declarations.

# Tells what may follow the command $1: its \`verbs\`, its \`flags\`, and as a text with a blank
# around each the flags that take a value.
__svc_command() {
  verbs=()
  flags=()
  valued=${singleQuoted(` ${valuedOf(globals).join(' ')} `)}
  case $1 in
${nodes.map(commandCase).join('')}  esac
  flags+=(${globals.flatMap(spellings).map(singleQuoted).join(' ')})
}

# Tells what may stand as the value of a flag, or as an operand by its number:
# $1 is the command and the flag or number, with a bar between. Sets \`kind\` and \`offer\`.
__svc_value() {
  kind=words
  offer=()
  case $1 in
${[...globals.flatMap((flag) => flagCase((name) => `*${singleQuoted(`|${name}`)}`, flag)), ...nodes.flatMap(valueCases)].join('')}  esac
}

# Sets COMPREPLY to those of \`offer\` that begin with $1, each with $3 before it. Bash replaces
# only what follows the last = or : of a word, so $2, what stands before that, is taken off.
__svc_reply() {
  local word
  for word in "\${offer[@]}"; do
    [[ $word == "$1"* ]] || continue
    word=$3$word
    printf -v word %q "\${word#"$2"}"
    COMPREPLY+=("$word")
  done
}

# Offers files, or with -d folders, that begin with $2.
__svc_files() {
  # Readline knows best about quotes, tildes and blanks; bash 3.2 cannot ask it.
  if [[ $1 == -d ]]; then
    compopt -o dirnames 2>/dev/null && return
  else
    compopt -o default 2>/dev/null && return
  fi
  local name
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen "$1" -- "$2")
}

_svc() {
  COMPREPLY=()
  # Bash splits words at = and : too; here each word is whole again, up to the cursor.
  local rest=\${COMP_LINE:0:COMP_POINT} blank token last='' i
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

  local -a verbs flags offer
  local valued kind path='' flag='' operand=0 word
  local count=$((\${#words[@]} - 1)) seen_local=''
  local current=\${words[count]}
  __svc_command ''
  for ((i = 1; i < count; i++)); do
    word=\${words[i]}
    if [[ -n $flag ]]; then
      flag=''
    elif [[ $word == -- ]]; then
      return
    elif [[ $word == -* ]]; then
      [[ $word == --local ]] && seen_local=1
      [[ $valued == *" $word "* ]] && flag=$word
    elif ((\${#verbs[@]})); then
      path=\${path:+$path }$word
      __svc_command "$path"
    else
      operand=$((operand + 1))
    fi
  done

  if ((count > 0)) && [[ \${words[count - 1]} == [\\<\\>]* || \${words[count - 1]} == [0-9\\&][\\<\\>]* ]]; then
    __svc_files -f "$current"
    return
  fi

  # What bash will not replace of the current word.
  [[ $last == [=:]* ]] && last=''
  local kept=\${current%"$last"} before=''
  if [[ $current == --*=* && -z $flag ]]; then
    flag=\${current%%=*}
    before=$flag=
    current=\${current#*=}
  elif [[ -z $flag && $current == -* ]]; then
    offer=("\${flags[@]}")
    __svc_reply "$current" "$kept"
    return
  fi
  if [[ -n $flag ]]; then
    __svc_value "$path|$flag"
  elif ((\${#verbs[@]})); then
    kind=words
    offer=("\${verbs[@]}")
  else
    __svc_value "$path|$operand"
  fi
  case $kind in
    file) __svc_files -f "$current" ;;
    directory) __svc_files -d "$current" ;;
    model)
      # Only the embedded service's models are known without a call.
      [[ -n $seen_local ]] || return
      offer=(${localModels.map(singleQuoted).join(' ')})
      __svc_reply "$current" "$kept" "$before"
      ;;
    words) __svc_reply "$current" "$kept" "$before" ;;
  esac
}

complete -F _svc svc
`;
}

function commandCase({ path, flags, children }: Node): string {
  const lines = [
    children.length > 0
      ? `verbs=(${children.map(({ name }) => singleQuoted(name)).join(' ')})`
      : '',
    flags.length > 0 ? `flags=(${flags.flatMap(spellings).map(singleQuoted).join(' ')})` : '',
    valuedOf(flags).length > 0 ? `valued+=${singleQuoted(`${valuedOf(flags).join(' ')} `)}` : '',
  ].filter((line) => line !== '');
  if (lines.length === 0) return '';
  return `    ${singleQuoted(path.join(' '))})\n${lines.map((line) => `      ${line}\n`).join('')}      ;;\n`;
}

function valueCases({ path, flags, operands }: Node): string[] {
  const command = path.join(' ');
  return [
    ...flags.flatMap((flag) => flagCase((name) => singleQuoted(`${command}|${name}`), flag)),
    ...operands.flatMap(({ many, offer }, index) =>
      valueCase([`${singleQuoted(`${command}|`)}${many ? '[0-9]*' : String(index)}`], offer),
    ),
  ];
}

/** @param pattern a pattern for the flag, by its spelling */
function flagCase(
  pattern: (spelling: string) => string,
  { spellings: names, value }: Flag,
): string[] {
  return value ? valueCase(names.map(pattern), value.offer) : [];
}

function valueCase(patterns: readonly string[], offer: Offer): string[] {
  if (offer.kind === 'nothing') return [];
  const action =
    offer.kind === 'words'
      ? `offer=(${offer.words.map(singleQuoted).join(' ')})`
      : `kind=${offer.kind}`;
  return [`    ${patterns.join(' | ')}) ${action} ;;\n`];
}

function valuedOf(flags: readonly Flag[]): string[] {
  return flags.filter(({ value }) => value).flatMap(spellings);
}

function spellings(flag: Flag): readonly string[] {
  return flag.spellings;
}
