# bash completion for svc, made from its declarations.

# Tells what may follow the command $1: its `verbs`, its `flags`, and as a text with a blank
# around each the flags that take a value.
__svc_command() {
  verbs=()
  flags=()
  valued=' --base-url --profile --timeout --connect-timeout --first-byte-timeout --idle-timeout --retry-wait '
  case $1 in
    '')
      verbs=('chat' 'generate' 'jobs' 'image' 'files' 'speak' 'transcribe' 'voices' 'search' 'embed' 'decide' 'models' 'balance' 'usage' 'keys' 'webhooks' 'tickets' 'feedback' 'serve' 'api' 'openapi' 'login' 'logout' 'whoami' 'config' 'completion' 'exit-codes' 'environment' 'help')
      flags=('-V' '--version')
      ;;
    'chat')
      flags=('-m' '--model' '-s' '--system' '--messages' '-a' '--attach' '--search' '--format' '--max-tokens' '--temperature' '--top-p' '--reasoning-effort' '--reasoning-summary' '--thinking' '--thinking-budget' '--no-reasoning' '--tools' '--tool-choice' '--json-object' '--schema' '--no-stream' '--count-tokens' '-o' '--output' '--force' '-x' '--extract' '--events')
      valued+='-m --model -s --system --messages -a --attach --search --format --max-tokens --temperature --top-p --reasoning-effort --reasoning-summary --thinking --thinking-budget --tools --tool-choice --schema -o --output '
      ;;
    'generate')
      flags=('--opt' '--opts' '--input' '--inline' '--strict' '--webhook-url' '--idempotency-key' '--sandbox-outcome' '--refresh' '--quote' '--max-price' '--quote-id' '--new' '--no-wait' '-o' '--output' '--force' '--open')
      valued+='--opt --opts --input --webhook-url --idempotency-key --sandbox-outcome --max-price --quote-id -o --output '
      ;;
    'jobs')
      verbs=('list' 'show' 'wait' 'resume' 'download' 'extend')
      ;;
    'jobs list')
      flags=('--all')
      ;;
    'jobs wait')
      flags=('--all')
      ;;
    'jobs download')
      flags=('--all' '-o' '--output' '--force')
      valued+='-o --output '
      ;;
    'jobs extend')
      flags=('--tier' '--seeds' '--watermark' '--quote' '--max-price' '--new' '--no-wait' '-o' '--output' '--force' '--open')
      valued+='--tier --seeds --watermark --max-price -o --output '
      ;;
    'image')
      verbs=('create' 'list')
      ;;
    'image create')
      flags=('-m' '--model' '--size' '--quality' '-n' '--count' '--user' '--response-format' '-o' '--output' '--force' '--new' '--open')
      valued+='-m --model --size --quality -n --count --user --response-format -o --output '
      ;;
    'image list')
      flags=('--limit')
      valued+='--limit '
      ;;
    'files')
      verbs=('upload')
      ;;
    'files upload')
      flags=('--name')
      valued+='--name '
      ;;
    'speak')
      flags=('-f' '--file' '-m' '--model' '--voice' '--format' '--speed' '-o' '--output' '--force' '--open' '--max-chars' '--no-split' '--new' '--resume')
      valued+='-f --file -m --model --voice --format --speed -o --output --max-chars '
      ;;
    'transcribe')
      flags=('-m' '--model' '--language' '--split' '--new' '--resume')
      valued+='-m --model --language '
      ;;
    'voices')
      verbs=('list' 'create' 'delete' 'add-samples')
      ;;
    'voices create')
      flags=('--engine' '--remove-background-noise' '--consent' '--new')
      valued+='--engine '
      ;;
    'voices add-samples')
      flags=('--remove-background-noise')
      ;;
    'search')
      flags=('-n' '--count' '--mode' '--country' '--language' '--region' '--urls')
      valued+='-n --count --mode --country --language --region '
      ;;
    'embed')
      flags=('-m' '--model' '-f' '--file' '--lines' '--skip' '--batch' '--similar' '-n' '--count' '--encoding' '--raw' '-o' '--output' '--force' '--resume')
      valued+='-m --model -f --file --skip --batch --similar -n --count --encoding -o --output '
      ;;
    'decide')
      flags=('--state' '-m' '--model' '--choice' '--option' '--score' '--level' '--noul' '--questions' '--exit-on')
      valued+='--state -m --model --choice --option --score --level --noul --questions --exit-on '
      ;;
    'models')
      verbs=('list' 'all' 'show' 'capabilities' 'pricing' 'catalog' 'media')
      ;;
    'models list')
      flags=('--type' '--all' '--variants' '--match' '--sort')
      valued+='--type --match --sort '
      ;;
    'models all')
      flags=('--match' '--sort')
      valued+='--match --sort '
      ;;
    'models capabilities')
      flags=('--all' '--page' '--limit' '--match')
      valued+='--page --limit --match '
      ;;
    'models pricing')
      flags=('--match' '--sort')
      valued+='--match --sort '
      ;;
    'models catalog')
      flags=('--match' '--sort')
      valued+='--match --sort '
      ;;
    'models media')
      flags=('--match' '--sort')
      valued+='--match --sort '
      ;;
    'balance')
      flags=('--warn-below')
      valued+='--warn-below '
      ;;
    'usage')
      verbs=('list' 'show' 'keys' 'chart')
      ;;
    'usage list')
      flags=('--since' '--until' '--all' '--page' '--limit' '--csv')
      valued+='--since --until --page --limit '
      ;;
    'usage chart')
      flags=('--since' '--until' '--by')
      valued+='--since --until --by '
      ;;
    'keys')
      verbs=('list' 'show')
      ;;
    'webhooks')
      verbs=('show' 'set')
      ;;
    'webhooks set')
      flags=('--media' '--balance')
      valued+='--media --balance '
      ;;
    'tickets')
      verbs=('create' 'list' 'show' 'reply' 'close' 'download' 'watch')
      ;;
    'tickets create')
      flags=('--subject' '--message' '-f' '--file' '--category' '--request-id' '-a' '--attach' '--incident-id' '--from-last-error' '--follow-up')
      valued+='--subject --message -f --file --category --request-id -a --attach --incident-id --follow-up '
      ;;
    'tickets list')
      flags=('--status' '--limit' '--after' '--all')
      valued+='--status --limit --after '
      ;;
    'tickets reply')
      flags=('-f' '--file' '-a' '--attach')
      valued+='-f --file -a --attach '
      ;;
    'tickets download')
      flags=('-o' '--output' '--force')
      valued+='-o --output '
      ;;
    'feedback')
      verbs=('create' 'show')
      ;;
    'feedback create')
      flags=('--category' '--summary' '--details' '-f' '--file' '--request-id' '--incident-id')
      valued+='--category --summary --details -f --file --request-id --incident-id '
      ;;
    'serve')
      flags=('--port' '--host' '--script' '--corpus' '--job-time' '--image-deadline' '--reply-time' '--allow-loopback-webhooks' '--allow-fetch' '--memory')
      valued+='--port --host --script --corpus --job-time --image-deadline --reply-time '
      ;;
    'api')
      flags=('-F' '--field' '-f' '--raw-field' '--input' '-H' '--header' '-i' '--include' '--paginate' '--slurp')
      valued+='-F --field -f --raw-field --input -H --header '
      ;;
    'openapi')
      flags=('-o' '--output' '--force')
      valued+='-o --output '
      ;;
    'login')
      flags=('--with-key' '--no-verify')
      ;;
    'logout')
      flags=('--all')
      ;;
    'config')
      verbs=('list' 'get' 'set' 'unset' 'profiles' 'use' 'path')
      ;;
    'config get')
      flags=('--reveal')
      ;;
  esac
  flags+=('--json' '-q' '--quiet' '-v' '--verbose' '--local' '--base-url' '--profile' '--dry-run' '--curl' '--timeout' '--connect-timeout' '--first-byte-timeout' '--idle-timeout' '--retry-wait' '--yes' '--no-input' '-h' '--help')
}

# Tells what may stand as the value of a flag, or as an operand by its number:
# $1 is the command and the flag or number, with a bar between. Sets `kind` and `offer`.
__svc_value() {
  kind=words
  offer=()
  case $1 in
    'chat|-m' | 'chat|--model') kind=model ;;
    'chat|--messages') kind=file ;;
    'chat|-a' | 'chat|--attach') kind=file ;;
    'chat|--format') offer=('chat' 'messages' 'responses') ;;
    'chat|--reasoning-effort') offer=('none' 'minimal' 'low' 'medium' 'high' 'xhigh' 'max') ;;
    'chat|--reasoning-summary') offer=('auto' 'concise' 'detailed') ;;
    'chat|--thinking') offer=('enabled' 'disabled') ;;
    'chat|--tools') kind=file ;;
    'chat|--tool-choice') offer=('auto' 'none' 'required') ;;
    'chat|--schema') kind=file ;;
    'chat|-o' | 'chat|--output') kind=file ;;
    'generate|--opts') kind=file ;;
    'generate|--input') kind=file ;;
    'generate|--sandbox-outcome') offer=('submission_uncertain') ;;
    'generate|-o' | 'generate|--output') kind=file ;;
    'generate|'0) kind=model ;;
    'jobs download|-o' | 'jobs download|--output') kind=file ;;
    'jobs extend|--tier') offer=('lite' 'fast' 'quality') ;;
    'jobs extend|-o' | 'jobs extend|--output') kind=file ;;
    'image create|-m' | 'image create|--model') kind=model ;;
    'image create|--response-format') offer=('url' 'b64_json') ;;
    'image create|-o' | 'image create|--output') kind=file ;;
    'files upload|'0) kind=file ;;
    'speak|-f' | 'speak|--file') kind=file ;;
    'speak|-m' | 'speak|--model') kind=model ;;
    'speak|--format') offer=('mp3' 'opus' 'aac' 'flac' 'wav' 'pcm') ;;
    'speak|-o' | 'speak|--output') kind=file ;;
    'transcribe|-m' | 'transcribe|--model') kind=model ;;
    'transcribe|'0) kind=file ;;
    'voices create|--engine') offer=('standard' 'premium' 'extvoice') ;;
    'voices create|'[0-9]*) kind=file ;;
    'voices add-samples|'[0-9]*) kind=file ;;
    'search|--mode') offer=('turbo' 'base' 'pro') ;;
    'search|--region') offer=('ru' 'global') ;;
    'embed|-m' | 'embed|--model') kind=model ;;
    'embed|-f' | 'embed|--file') kind=file ;;
    'embed|--encoding') offer=('float' 'base64') ;;
    'embed|-o' | 'embed|--output') kind=file ;;
    'decide|-m' | 'decide|--model') kind=model ;;
    'decide|--questions') kind=file ;;
    'models list|--sort') offer=('price' 'context' 'name') ;;
    'models all|--sort') offer=('price' 'context' 'name') ;;
    'models show|'0) kind=model ;;
    'models capabilities|'0) kind=model ;;
    'models pricing|--sort') offer=('price' 'context' 'name') ;;
    'models catalog|--sort') offer=('price' 'context' 'name') ;;
    'models media|--sort') offer=('price' 'context' 'name') ;;
    'usage chart|--by') offer=('day' 'model') ;;
    'tickets create|-f' | 'tickets create|--file') kind=file ;;
    'tickets create|--category') offer=('api_error' 'performance' 'incorrect_response' 'integration' 'feature_request' 'other' 'billing' 'account' 'general') ;;
    'tickets create|-a' | 'tickets create|--attach') kind=file ;;
    'tickets list|--status') offer=('open' 'replied' 'closed') ;;
    'tickets reply|-f' | 'tickets reply|--file') kind=file ;;
    'tickets reply|-a' | 'tickets reply|--attach') kind=file ;;
    'tickets download|-o' | 'tickets download|--output') kind=file ;;
    'feedback create|--category') offer=('api_error' 'performance' 'incorrect_response' 'integration' 'feature_request' 'other') ;;
    'feedback create|-f' | 'feedback create|--file') kind=file ;;
    'serve|--script') kind=file ;;
    'serve|--corpus') kind=directory ;;
    'api|--input') kind=file ;;
    'api|'0) offer=('GET' 'POST' 'PATCH' 'DELETE') ;;
    'openapi|-o' | 'openapi|--output') kind=file ;;
    'config get|'0) offer=('profile' 'key' 'base_url' 'brand' 'model' 'connect_timeout' 'first_byte_timeout' 'idle_timeout' 'retry_wait' 'low_balance') ;;
    'config set|'0) offer=('base_url' 'brand' 'model' 'connect_timeout' 'first_byte_timeout' 'idle_timeout' 'retry_wait' 'low_balance') ;;
    'config unset|'0) offer=('base_url' 'brand' 'model' 'connect_timeout' 'first_byte_timeout' 'idle_timeout' 'retry_wait' 'low_balance') ;;
    'completion|'0) offer=('bash' 'zsh' 'fish' 'powershell') ;;
    'help|'0) offer=('chat' 'generate' 'jobs' 'image' 'files' 'speak' 'transcribe' 'voices' 'search' 'embed' 'decide' 'models' 'balance' 'usage' 'keys' 'webhooks' 'tickets' 'feedback' 'serve' 'api' 'openapi' 'login' 'logout' 'whoami' 'config' 'completion' 'exit-codes' 'environment') ;;
  esac
}

# Sets COMPREPLY to those of `offer` that begin with $1, each with $3 before it. Bash replaces
# only what follows the last = or : of a word, so $2, what stands before that, is taken off.
__svc_reply() {
  local word
  for word in "${offer[@]}"; do
    [[ $word == "$1"* ]] || continue
    word=$3$word
    printf -v word %q "${word#"$2"}"
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
  local rest=${COMP_LINE:0:COMP_POINT} blank token last='' i
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

  local -a verbs flags offer
  local valued kind path='' flag='' operand=0 word
  local count=$((${#words[@]} - 1)) seen_local=''
  local current=${words[count]}
  __svc_command ''
  for ((i = 1; i < count; i++)); do
    word=${words[i]}
    if [[ -n $flag ]]; then
      flag=''
    elif [[ $word == -- ]]; then
      return
    elif [[ $word == -* ]]; then
      [[ $word == --local ]] && seen_local=1
      [[ $valued == *" $word "* ]] && flag=$word
    elif ((${#verbs[@]})); then
      path=${path:+$path }$word
      __svc_command "$path"
    else
      operand=$((operand + 1))
    fi
  done

  if ((count > 0)) && [[ ${words[count - 1]} == [\<\>]* || ${words[count - 1]} == [0-9\&][\<\>]* ]]; then
    __svc_files -f "$current"
    return
  fi

  # What bash will not replace of the current word.
  [[ $last == [=:]* ]] && last=''
  local kept=${current%"$last"} before=''
  if [[ $current == --*=* && -z $flag ]]; then
    flag=${current%%=*}
    before=$flag=
    current=${current#*=}
  elif [[ -z $flag && $current == -* ]]; then
    offer=("${flags[@]}")
    __svc_reply "$current" "$kept"
    return
  fi
  if [[ -n $flag ]]; then
    __svc_value "$path|$flag"
  elif ((${#verbs[@]})); then
    kind=words
    offer=("${verbs[@]}")
  else
    __svc_value "$path|$operand"
  fi
  case $kind in
    file) __svc_files -f "$current" ;;
    directory) __svc_files -d "$current" ;;
    model)
      # Only the embedded service's models are known without a call.
      [[ -n $seen_local ]] || return
      offer=('local/guide' 'local/echo' 'local/script' 'local/embed' 'local/decide')
      __svc_reply "$current" "$kept" "$before"
      ;;
    words) __svc_reply "$current" "$kept" "$before" ;;
  esac
}

complete -F _svc svc
