# PowerShell completion for svc, made from its declarations.

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $globals = @(
        @{ Names = @('--json'); Summary = 'print the result, and failures, as JSON'; Kind = '' }
        @{ Names = @('-q', '--quiet'); Summary = 'say nothing on stderr but warnings and errors'; Kind = '' }
        @{ Names = @('-v', '--verbose'); Summary = 'show each request on stderr, secrets hidden'; Kind = '' }
        @{ Names = @('--local'); Summary = 'use the embedded service: offline, no account'; Kind = '' }
        @{ Names = @('--base-url'); Summary = 'where the service is (SVC_BASE_URL)'; Kind = 'nothing' }
        @{ Names = @('--profile'); Summary = 'the profile to use (SVC_PROFILE)'; Kind = 'nothing' }
        @{ Names = @('--dry-run'); Summary = 'print the request as JSON, send nothing'; Kind = '' }
        @{ Names = @('--curl'); Summary = 'print the request as a curl command'; Kind = '' }
        @{ Names = @('--timeout'); Summary = 'give up after this long in all (30s, 5m)'; Kind = 'nothing' }
        @{ Names = @('--connect-timeout'); Summary = 'time to connect (default: 10s)'; Kind = 'nothing' }
        @{ Names = @('--first-byte-timeout'); Summary = 'time for an answer to begin (default: 60s)'; Kind = 'nothing' }
        @{ Names = @('--idle-timeout'); Summary = 'time for an answer to go on (default: 60s)'; Kind = 'nothing' }
        @{ Names = @('--yes'); Summary = 'answer every confirmation with yes'; Kind = '' }
        @{ Names = @('--no-input'); Summary = 'never ask; fail instead'; Kind = '' }
        @{ Names = @('-h', '--help'); Summary = 'show help'; Kind = '' }
    )
    $commands = @{
        '' = @{
            Verbs = @(
                @{ Name = 'chat'; Summary = 'ask a model and read the answer as it arrives' }
                @{ Name = 'generate'; Summary = 'make images, video, audio, music or 3D' }
                @{ Name = 'jobs'; Summary = 'media jobs: what was made, what is under way, what has to be fetched' }
                @{ Name = 'image'; Summary = 'images that are made while you wait' }
                @{ Name = 'files'; Summary = 'source files for media jobs' }
                @{ Name = 'models'; Summary = 'the models of the service' }
                @{ Name = 'balance'; Summary = 'show the prepaid balance' }
                @{ Name = 'usage'; Summary = 'what calls cost' }
                @{ Name = 'serve'; Summary = 'run the embedded service over HTTP on loopback' }
                @{ Name = 'api'; Summary = 'send a request to any path of the service' }
                @{ Name = 'openapi'; Summary = 'print the service''s OpenAPI description' }
                @{ Name = 'login'; Summary = 'store a base URL and a key' }
                @{ Name = 'logout'; Summary = 'remove the stored key' }
                @{ Name = 'whoami'; Summary = 'show the profile and key in use, and prove them' }
                @{ Name = 'config'; Summary = 'show and change settings and profiles' }
                @{ Name = 'completion'; Summary = 'print the script that completes svc in a shell' }
                @{ Name = 'exit-codes'; Summary = 'what the exit codes mean' }
                @{ Name = 'environment'; Summary = 'the environment variables that svc heeds' }
                @{ Name = 'help'; Summary = 'show help for a command or a topic' }
            )
            Flags = @(
                @{ Names = @('-V', '--version'); Summary = 'print the version'; Kind = '' }
            )
            Operands = @(
            )
        }
        'chat' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-m', '--model'); Summary = 'the model (see `svc models list`)'; Kind = 'model' }
                @{ Names = @('-s', '--system'); Summary = 'the system prompt'; Kind = 'nothing' }
                @{ Names = @('-a', '--attach'); Summary = 'an image or a text file to send along; may be repeated'; Kind = 'file' }
                @{ Names = @('--format'); Summary = 'the wire format (default: chat)'; Kind = 'words'; Words = @('chat', 'messages', 'responses') }
                @{ Names = @('--max-tokens'); Summary = 'at most this many tokens in the answer'; Kind = 'nothing' }
                @{ Names = @('--temperature'); Summary = 'from 0 to 2'; Kind = 'nothing' }
                @{ Names = @('--top-p'); Summary = 'sample from this share of the probability'; Kind = 'nothing' }
                @{ Names = @('--reasoning-effort'); Summary = 'how hard to think (chat, responses)'; Kind = 'words'; Words = @('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max') }
                @{ Names = @('--reasoning-summary'); Summary = 'summarise the reasoning (responses)'; Kind = 'words'; Words = @('auto', 'concise', 'detailed') }
                @{ Names = @('--thinking-budget'); Summary = 'tokens to think with (messages)'; Kind = 'nothing' }
                @{ Names = @('--no-reasoning'); Summary = 'do not show reasoning'; Kind = '' }
                @{ Names = @('--tools'); Summary = 'tool definitions, a JSON array'; Kind = 'file' }
                @{ Names = @('--tool-choice'); Summary = 'auto, none, required, or a tool by name'; Kind = 'words'; Words = @('auto', 'none', 'required') }
                @{ Names = @('--json-object'); Summary = 'the answer must be a JSON object (chat, responses)'; Kind = '' }
                @{ Names = @('--schema'); Summary = 'the answer must fit this JSON Schema (chat, responses)'; Kind = 'file' }
                @{ Names = @('--no-stream'); Summary = 'wait for the whole answer'; Kind = '' }
                @{ Names = @('--count-tokens'); Summary = 'estimate the input tokens instead of asking'; Kind = '' }
                @{ Names = @('-o', '--output'); Summary = 'write the answer to a new file; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('-x', '--extract'); Summary = 'print only the first fenced code block'; Kind = '' }
                @{ Names = @('--events'); Summary = 'print each event as a line of JSON; `done` comes last'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'generate' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--opt'); Summary = 'an option of the model; @FILE is the content of a file; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--opts'); Summary = 'options of the model, a JSON object; --opt wins over it'; Kind = 'file' }
                @{ Names = @('--input'); Summary = 'a source; NAME says which option it fills; may be repeated'; Kind = 'file' }
                @{ Names = @('--inline'); Summary = 'send local sources within the request instead of uploading them'; Kind = '' }
                @{ Names = @('--strict'); Summary = 'refuse what would not run exactly as written'; Kind = '' }
                @{ Names = @('--webhook-url'); Summary = 'a public https URL that is told when the job ends'; Kind = 'nothing' }
                @{ Names = @('--idempotency-key'); Summary = 'the same key gives the same job, never a second one'; Kind = 'nothing' }
                @{ Names = @('--sandbox-outcome'); Summary = 'simulate this, with a sandbox key'; Kind = 'words'; Words = @('submission_uncertain') }
                @{ Names = @('--refresh'); Summary = 'ask anew what the model takes, instead of once an hour'; Kind = '' }
                @{ Names = @('--quote'); Summary = 'tell the price and make nothing'; Kind = '' }
                @{ Names = @('--max-price'); Summary = 'the most that the job may cost; the quoted price unless given'; Kind = 'nothing' }
                @{ Names = @('--no-wait'); Summary = 'print the id of the job at once; it goes on by itself'; Kind = '' }
                @{ Names = @('-o', '--output'); Summary = 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--open'); Summary = 'show the first result with the system''s viewer'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'model' }
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'jobs' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list media jobs' }
                @{ Name = 'show'; Summary = 'show one media job' }
                @{ Name = 'wait'; Summary = 'wait until media jobs have ended' }
                @{ Name = 'download'; Summary = 'fetch the results of media jobs' }
                @{ Name = 'extend'; Summary = 'extend a finished video as a new job' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'jobs list' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--all'); Summary = 'also old and refused ones, and those of other accounts'; Kind = '' }
            )
            Operands = @(
            )
        }
        'jobs show' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'jobs wait' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--all'); Summary = 'wait for all that are under way'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'jobs download' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--all'); Summary = 'fetch all that has not been fetched yet'; Kind = '' }
                @{ Names = @('-o', '--output'); Summary = 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'jobs extend' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--tier'); Summary = 'how well it is made'; Kind = 'words'; Words = @('lite', 'fast', 'quality') }
                @{ Names = @('--seeds'); Summary = 'where chance begins'; Kind = 'nothing' }
                @{ Names = @('--watermark'); Summary = 'a text to put on it'; Kind = 'nothing' }
                @{ Names = @('--quote'); Summary = 'tell the price and make nothing'; Kind = '' }
                @{ Names = @('--max-price'); Summary = 'the most that it may cost'; Kind = 'nothing' }
                @{ Names = @('--no-wait'); Summary = 'print the id of the job at once; it goes on by itself'; Kind = '' }
                @{ Names = @('-o', '--output'); Summary = 'where the result goes; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--open'); Summary = 'show the result with the system''s viewer'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'image' = @{
            Verbs = @(
                @{ Name = 'create'; Summary = 'make an image and wait for it' }
                @{ Name = 'list'; Summary = 'list the key''s image jobs, newest first' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'image create' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-m', '--model'); Summary = 'the image model (see `svc models list --type image`)'; Kind = 'model' }
                @{ Names = @('--size'); Summary = 'such as 1024x1024 or 1792x1024, or auto; its ratio counts'; Kind = 'nothing' }
                @{ Names = @('--quality'); Summary = 'what the model offers, or auto'; Kind = 'nothing' }
                @{ Names = @('--response-format'); Summary = 'how the image travels (default: url)'; Kind = 'words'; Words = @('url', 'b64_json') }
                @{ Names = @('-o', '--output'); Summary = 'where the image goes; may hold {model}, {job}, {index}, {ext}; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--open'); Summary = 'show the image with the system''s viewer'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'image list' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--limit'); Summary = 'how many (default: 20)'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'files' = @{
            Verbs = @(
                @{ Name = 'upload'; Summary = 'upload a file and print its id' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'files upload' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--name'); Summary = 'what to call it'; Kind = 'nothing' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'file' }
            )
        }
        'models' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list the models' }
                @{ Name = 'show'; Summary = 'show what is known of one model' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'models list' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--type'); Summary = 'only models of this type, such as image'; Kind = 'nothing' }
                @{ Names = @('--all'); Summary = 'media models too'; Kind = '' }
                @{ Names = @('--variants'); Summary = 'every pinned variant of each model'; Kind = '' }
            )
            Operands = @(
            )
        }
        'models show' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'model' }
            )
        }
        'balance' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'usage' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list what was charged, newest first' }
                @{ Name = 'show'; Summary = 'show one usage record' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'usage list' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--page'); Summary = 'which page (default: 1)'; Kind = 'nothing' }
                @{ Names = @('--limit'); Summary = 'records a page (default: 20)'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'usage show' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'serve' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--port'); Summary = 'the port; 0 picks a free one (default: 8787)'; Kind = 'nothing' }
                @{ Names = @('--host'); Summary = 'a loopback address (default: 127.0.0.1)'; Kind = 'nothing' }
                @{ Names = @('--script'); Summary = 'what local/script answers from (SVC_LOCAL_SCRIPT)'; Kind = 'file' }
                @{ Names = @('--job-time'); Summary = 'how long every media job takes, in place of each model''s own time'; Kind = 'nothing' }
                @{ Names = @('--image-deadline'); Summary = 'how long an image may take before its caller is told 504 (default: 60s)'; Kind = 'nothing' }
                @{ Names = @('--allow-loopback-webhooks'); Summary = 'send notifications to addresses on this machine as well, by http too'; Kind = '' }
                @{ Names = @('--memory'); Summary = 'keep the ledger in memory, and start afresh each time'; Kind = '' }
            )
            Operands = @(
            )
        }
        'api' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-F', '--field'); Summary = 'true, false, null, a number, @FILE, @- or text; may be repeated'; Kind = 'nothing' }
                @{ Names = @('-f', '--raw-field'); Summary = 'a field whose value is text as it stands; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--input'); Summary = 'send this as the body; fields then go to the query'; Kind = 'file' }
                @{ Names = @('-H', '--header'); Summary = 'a further header; may be repeated'; Kind = 'nothing' }
                @{ Names = @('-i', '--include'); Summary = 'print the status and the headers before the body'; Kind = '' }
                @{ Names = @('--paginate'); Summary = 'print each page in turn until there is none'; Kind = '' }
                @{ Names = @('--slurp'); Summary = 'with --paginate: print one JSON array of the pages'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('GET', 'POST', 'PATCH', 'DELETE') }
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'openapi' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'login' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--with-key'); Summary = 'read the key from standard input'; Kind = '' }
                @{ Names = @('--no-verify'); Summary = 'store the key without proving it'; Kind = '' }
            )
            Operands = @(
            )
        }
        'logout' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--all'); Summary = 'remove the keys of all profiles'; Kind = '' }
            )
            Operands = @(
            )
        }
        'whoami' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'config' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'show the settings in force and where each comes from' }
                @{ Name = 'get'; Summary = 'print one setting in force' }
                @{ Name = 'set'; Summary = 'store a setting in the profile' }
                @{ Name = 'unset'; Summary = 'remove a setting from the profile' }
                @{ Name = 'profiles'; Summary = 'list the profiles' }
                @{ Name = 'use'; Summary = 'make a profile the usual one' }
                @{ Name = 'path'; Summary = 'print where the config file is' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'config list' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'config get' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--reveal'); Summary = 'print the key whole'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('profile', 'key', 'base_url', 'brand', 'model', 'connect_timeout', 'first_byte_timeout', 'idle_timeout', 'low_balance') }
            )
        }
        'config set' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('base_url', 'brand', 'model', 'connect_timeout', 'first_byte_timeout', 'idle_timeout', 'low_balance') }
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'config unset' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('base_url', 'brand', 'model', 'connect_timeout', 'first_byte_timeout', 'idle_timeout', 'low_balance') }
            )
        }
        'config profiles' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'config use' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'config path' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'completion' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('bash', 'zsh', 'fish', 'powershell') }
            )
        }
        'exit-codes' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'environment' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'help' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('chat', 'generate', 'jobs', 'image', 'files', 'models', 'balance', 'usage', 'serve', 'api', 'openapi', 'login', 'logout', 'whoami', 'config', 'completion', 'exit-codes', 'environment') }
            )
        }
    }

    function Find-Flag($flags, $name) {
        $flags | Where-Object { $_.Kind -and $_.Names -ccontains $name } | Select-Object -First 1
    }
    function New-Result($text, $type, $tooltip) {
        $quoted = if ($text -match "[^\w./:=+-]") { "'" + $text.Replace("'", "''") + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($quoted, $text, $type, $tooltip)
    }
    # An empty text keeps PowerShell from offering files.
    $nothing = ''

    $path = ''
    $node = $commands['']
    $operand = 0
    $slot = $null
    $isLocal = $false
    # The words before the one at the cursor.
    $before = $commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition }
    foreach ($element in $before) {
        $word = "$element"
        if ($slot) {
            $slot = $null
        } elseif ($word -ceq '--') {
            return $nothing
        } elseif ($word -clike '-*') {
            if ($word -ceq '--local') { $isLocal = $true }
            $slot = Find-Flag ($node.Flags + $globals) $word
        } elseif ($node.Verbs.Count -gt 0) {
            $path = "$path $word".Trim()
            $node = $commands[$path]
            if (-not $node) { return $nothing }
        } else {
            $operand++
        }
    }

    $current = $wordToComplete
    $prefix = ''
    if (-not $slot -and $current -clike '--*=*') {
        $name, $current = $current -split '=', 2
        $prefix = "$name="
        $slot = Find-Flag ($node.Flags + $globals) $name
    } elseif (-not $slot -and $current -clike '-*') {
        $found = foreach ($flag in $node.Flags + $globals) {
            foreach ($name in $flag.Names) {
                if ($name.StartsWith($current, [StringComparison]::Ordinal)) {
                    New-Result $name 'ParameterName' $flag.Summary
                }
            }
        }
        if ($found) { return $found } else { return $nothing }
    } elseif (-not $slot -and $node.Verbs.Count -gt 0) {
        $found = foreach ($verb in $node.Verbs) {
            if ($verb.Name.StartsWith($current, [StringComparison]::Ordinal)) {
                New-Result $verb.Name 'Command' $verb.Summary
            }
        }
        if ($found) { return $found } else { return $nothing }
    }

    if (-not $slot) {
        $last = $node.Operands.Count - 1
        if ($last -ge 0 -and ($operand -le $last -or $node.Operands[$last].Many)) {
            $slot = $node.Operands[[Math]::Min($operand, $last)]
        }
    }
    # Without a result PowerShell offers files by itself.
    if ($slot -and $slot.Kind -eq 'file') { return }
    $words = @()
    if ($slot -and $slot.Kind -eq 'words') { $words = $slot.Words }
    if ($slot -and $slot.Kind -eq 'model' -and $isLocal) { $words = @('local/guide', 'local/echo', 'local/script') }
    $found = foreach ($word in $words) {
        if ($word.StartsWith($current, [StringComparison]::Ordinal)) {
            New-Result "$prefix$word" 'ParameterValue' $word
        }
    }
    if ($found) { return $found } else { return $nothing }
}
