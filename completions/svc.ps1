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
        @{ Names = @('--first-byte-timeout'); Summary = 'time for an answer to begin; 10m where it is made meanwhile (default: 60s)'; Kind = 'nothing' }
        @{ Names = @('--idle-timeout'); Summary = 'time for an answer to go on (default: 60s)'; Kind = 'nothing' }
        @{ Names = @('--retry-wait'); Summary = 'how long to wait in all where the service asks to, without --timeout (default: 60s)'; Kind = 'nothing' }
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
                @{ Name = 'speak'; Summary = 'speak a text' }
                @{ Name = 'transcribe'; Summary = 'write down what a recording says' }
                @{ Name = 'voices'; Summary = 'cloned voices' }
                @{ Name = 'search'; Summary = 'search the web' }
                @{ Name = 'embed'; Summary = 'turn texts into vectors, or rank texts by meaning' }
                @{ Name = 'decide'; Summary = 'answer named questions about a text, with probabilities' }
                @{ Name = 'models'; Summary = 'the models of the service' }
                @{ Name = 'balance'; Summary = 'show the prepaid balance' }
                @{ Name = 'usage'; Summary = 'what calls cost' }
                @{ Name = 'keys'; Summary = 'the account''s keys' }
                @{ Name = 'webhooks'; Summary = 'where notifications go' }
                @{ Name = 'tickets'; Summary = 'support tickets: open, read, answer, close' }
                @{ Name = 'feedback'; Summary = 'technical reports (deprecated: svc tickets)' }
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
                @{ Names = @('--messages'); Summary = 'what was said before: messages in JSON, or an object with messages and system'; Kind = 'file' }
                @{ Names = @('-a', '--attach'); Summary = 'an image or a text file to send along; may be repeated'; Kind = 'file' }
                @{ Names = @('--search'); Summary = 'search the web for this first; the answer cites what was found'; Kind = 'nothing' }
                @{ Names = @('--format'); Summary = 'the wire format (default: chat)'; Kind = 'words'; Words = @('chat', 'messages', 'responses') }
                @{ Names = @('--max-tokens'); Summary = 'at most this many tokens in the answer'; Kind = 'nothing' }
                @{ Names = @('--temperature'); Summary = 'from 0 to 2'; Kind = 'nothing' }
                @{ Names = @('--top-p'); Summary = 'sample from this share of the probability'; Kind = 'nothing' }
                @{ Names = @('--reasoning-effort'); Summary = 'how hard to think (chat, responses)'; Kind = 'words'; Words = @('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max') }
                @{ Names = @('--reasoning-summary'); Summary = 'summarise the reasoning (responses)'; Kind = 'words'; Words = @('auto', 'concise', 'detailed') }
                @{ Names = @('--thinking'); Summary = 'whether to think before the answer (messages)'; Kind = 'words'; Words = @('enabled', 'disabled') }
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
                @{ Names = @('--quote-id'); Summary = 'make it at the price of this quote (quoteId of --quote --json), or not at all'; Kind = 'nothing' }
                @{ Names = @('--new'); Summary = 'make and pay for another, where an earlier run of this did not end'; Kind = '' }
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
                @{ Name = 'resume'; Summary = 'send a job that was cut off again, with its key' }
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
        'jobs resume' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
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
                @{ Names = @('--new'); Summary = 'make and pay for another, where an earlier run of this did not end'; Kind = '' }
                @{ Names = @('--no-wait'); Summary = 'print the id of the job at once; it goes on by itself'; Kind = '' }
                @{ Names = @('-o', '--output'); Summary = 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--open'); Summary = 'show the first result with the system''s viewer'; Kind = '' }
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
                @{ Names = @('-n', '--count'); Summary = 'how many: the service makes 1 at a time'; Kind = 'nothing' }
                @{ Names = @('--user'); Summary = 'whom it is for; the service ignores it'; Kind = 'nothing' }
                @{ Names = @('--response-format'); Summary = 'how the image travels (default: url)'; Kind = 'words'; Words = @('url', 'b64_json') }
                @{ Names = @('-o', '--output'); Summary = 'where the image goes; may hold {model}, {job}, {index}, {ext}; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--new'); Summary = 'make and pay for another, where an earlier run of this did not end'; Kind = '' }
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
        'speak' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-f', '--file'); Summary = 'a text file to speak; - is stdin'; Kind = 'file' }
                @{ Names = @('-m', '--model'); Summary = 'the speech model (see `svc models list --all`)'; Kind = 'model' }
                @{ Names = @('--voice'); Summary = 'a voice of the model, or a cloned one by its id or name'; Kind = 'nothing' }
                @{ Names = @('--format'); Summary = 'of the sound; by default what the name of -o ends in, else as the model has it'; Kind = 'words'; Words = @('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm') }
                @{ Names = @('--speed'); Summary = 'from 0.25 to 4; 1 is normal'; Kind = 'nothing' }
                @{ Names = @('-o', '--output'); Summary = 'where the sound goes; - is stdout, as it arrives'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--open'); Summary = 'play the file with the system''s player'; Kind = '' }
                @{ Names = @('--max-chars'); Summary = 'pay for no more than this many characters'; Kind = 'nothing' }
                @{ Names = @('--no-split'); Summary = 'refuse a text of more than 10000 characters'; Kind = '' }
                @{ Names = @('--new'); Summary = 'make and pay for another, where an earlier run of this did not end'; Kind = '' }
                @{ Names = @('--resume'); Summary = 'go on after a cut: what was spoken is not paid again'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'transcribe' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-m', '--model'); Summary = 'the model that listens (see `svc models list --all`)'; Kind = 'model' }
                @{ Names = @('--language'); Summary = 'what is spoken, such as en'; Kind = 'nothing' }
                @{ Names = @('--split'); Summary = 'cut a WAV file of more than 50 MB where it is quiet, and join the text'; Kind = '' }
                @{ Names = @('--new'); Summary = 'make and pay for another, where an earlier run of this did not end'; Kind = '' }
                @{ Names = @('--resume'); Summary = 'go on after a cut: what was written down is not paid again'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'file' }
            )
        }
        'voices' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list your cloned voices, what they cost, and the prices' }
                @{ Name = 'create'; Summary = 'clone a voice from recordings' }
                @{ Name = 'delete'; Summary = 'delete a cloned voice' }
                @{ Name = 'add-samples'; Summary = 'add recordings to a voice of the engine extvoice' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'voices list' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'voices create' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--engine'); Summary = 'what makes the voice'; Kind = 'words'; Words = @('standard', 'premium', 'extvoice') }
                @{ Names = @('--remove-background-noise'); Summary = 'let the service take noise out of the recordings'; Kind = '' }
                @{ Names = @('--consent'); Summary = 'you state that whoever is heard agreed to their voice being cloned'; Kind = '' }
                @{ Names = @('--new'); Summary = 'make and pay for another, where an earlier run of this did not end'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
                @{ Many = $true; Kind = 'file' }
            )
        }
        'voices delete' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'voices add-samples' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--remove-background-noise'); Summary = 'let the service take noise out of the recordings'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
                @{ Many = $true; Kind = 'file' }
            )
        }
        'search' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-n', '--count'); Summary = 'how many results (default: 10)'; Kind = 'nothing' }
                @{ Names = @('--mode'); Summary = 'how thorough (default: turbo)'; Kind = 'words'; Words = @('turbo', 'base', 'pro') }
                @{ Names = @('--country'); Summary = 'results for this country, as two letters'; Kind = 'nothing' }
                @{ Names = @('--language'); Summary = 'results in this language, as two letters'; Kind = 'nothing' }
                @{ Names = @('--region'); Summary = 'search the web of a region instead (/api/search)'; Kind = 'words'; Words = @('ru', 'global') }
                @{ Names = @('--urls'); Summary = 'print the addresses alone, one a line'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'embed' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-m', '--model'); Summary = 'the embeddings model'; Kind = 'model' }
                @{ Names = @('-f', '--file'); Summary = 'read the text from this file'; Kind = 'file' }
                @{ Names = @('--lines'); Summary = 'every line is a text'; Kind = '' }
                @{ Names = @('--skip'); Summary = 'leave out this many lines, to go on after them'; Kind = 'nothing' }
                @{ Names = @('--batch'); Summary = 'send at most this many lines at once (default: 64)'; Kind = 'nothing' }
                @{ Names = @('--similar'); Summary = 'rank the lines by how near they are to this instead'; Kind = 'nothing' }
                @{ Names = @('-n', '--count'); Summary = 'how many of the nearest (default: 10)'; Kind = 'nothing' }
                @{ Names = @('--encoding'); Summary = 'how vectors travel (default: float)'; Kind = 'words'; Words = @('float', 'base64') }
                @{ Names = @('--raw'); Summary = 'print vectors of --encoding base64 as they are'; Kind = '' }
                @{ Names = @('-o', '--output'); Summary = 'write a new .npy or .jsonl file; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
                @{ Names = @('--resume'); Summary = 'go on with the file of -o where an earlier run stopped'; Kind = '' }
            )
            Operands = @(
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'decide' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--state'); Summary = 'what to decide about; a JSON object or list goes as one'; Kind = 'nothing' }
                @{ Names = @('-m', '--model'); Summary = 'the decisions model, where there is more than one'; Kind = 'model' }
                @{ Names = @('--choice'); Summary = 'which option? may be repeated'; Kind = 'nothing' }
                @{ Names = @('--option'); Summary = 'an option of a --choice; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--score'); Summary = 'which level? may be repeated'; Kind = 'nothing' }
                @{ Names = @('--level'); Summary = 'a level of a --score, the lowest first; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--noul'); Summary = 'how likely is a yes? may be repeated'; Kind = 'nothing' }
                @{ Names = @('--questions'); Summary = 'questions by name, as JSON or YAML'; Kind = 'file' }
                @{ Names = @('--exit-on'); Summary = 'end with 13 unless this is the answer; also !=, >= and <=; may be repeated'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'models' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list the models with price and context' }
                @{ Name = 'all'; Summary = 'list every model the service has, of every kind' }
                @{ Name = 'show'; Summary = 'show what is known of one model, and how to use it' }
                @{ Name = 'capabilities'; Summary = 'show what media models take' }
                @{ Name = 'pricing'; Summary = 'show the prices of text models and of tools' }
                @{ Name = 'catalog'; Summary = 'show the public catalog of text models; needs no key' }
                @{ Name = 'media'; Summary = 'show the public catalog of media models; needs no key' }
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
                @{ Names = @('--match'); Summary = 'only those that have this anywhere in their entry; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--sort'); Summary = 'the cheapest, the longest context or the first name at the top'; Kind = 'words'; Words = @('price', 'context', 'name') }
            )
            Operands = @(
            )
        }
        'models all' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--match'); Summary = 'only those that have this anywhere in their entry; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--sort'); Summary = 'the cheapest, the longest context or the first name at the top'; Kind = 'words'; Words = @('price', 'context', 'name') }
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
        'models capabilities' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--all'); Summary = 'every page'; Kind = '' }
                @{ Names = @('--page'); Summary = 'which page (default: 1)'; Kind = 'nothing' }
                @{ Names = @('--limit'); Summary = 'models a page'; Kind = 'nothing' }
                @{ Names = @('--match'); Summary = 'only those that have this anywhere in their entry; may be repeated'; Kind = 'nothing' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'model' }
            )
        }
        'models pricing' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--match'); Summary = 'only those that have this anywhere in their entry; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--sort'); Summary = 'the cheapest, the longest context or the first name at the top'; Kind = 'words'; Words = @('price', 'context', 'name') }
            )
            Operands = @(
            )
        }
        'models catalog' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--match'); Summary = 'only those that have this anywhere in their entry; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--sort'); Summary = 'the cheapest, the longest context or the first name at the top'; Kind = 'words'; Words = @('price', 'context', 'name') }
            )
            Operands = @(
            )
        }
        'models media' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--match'); Summary = 'only those that have this anywhere in their entry; may be repeated'; Kind = 'nothing' }
                @{ Names = @('--sort'); Summary = 'the cheapest, the longest context or the first name at the top'; Kind = 'words'; Words = @('price', 'context', 'name') }
            )
            Operands = @(
            )
        }
        'balance' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--warn-below'); Summary = 'end with exit code 5 when less than this is left'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'usage' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list what was charged, newest first' }
                @{ Name = 'show'; Summary = 'show one usage record' }
                @{ Name = 'keys'; Summary = 'show what each key has used' }
                @{ Name = 'chart'; Summary = 'show cost, calls and tokens by day or by model' }
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
                @{ Names = @('--since'); Summary = 'from then on: 7d, 24h, 2026-11-01, 2026-11 or a time; days are those of UTC'; Kind = 'nothing' }
                @{ Names = @('--until'); Summary = 'up to then; a day or a month to its end'; Kind = 'nothing' }
                @{ Names = @('--all'); Summary = 'every page, as a stream'; Kind = '' }
                @{ Names = @('--page'); Summary = 'which page (default: 1)'; Kind = 'nothing' }
                @{ Names = @('--limit'); Summary = 'records a page; with --all 100 unless given (default: 20)'; Kind = 'nothing' }
                @{ Names = @('--csv'); Summary = 'print CSV with a line of titles (RFC 4180)'; Kind = '' }
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
        'usage keys' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'usage chart' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--since'); Summary = 'from then on: 7d, 24h, 2026-11-01, 2026-11 or a time; days are those of UTC (default: 30d)'; Kind = 'nothing' }
                @{ Names = @('--until'); Summary = 'up to then; a day or a month to its end'; Kind = 'nothing' }
                @{ Names = @('--by'); Summary = 'what a row stands for (default: day)'; Kind = 'words'; Words = @('day', 'model') }
            )
            Operands = @(
            )
        }
        'keys' = @{
            Verbs = @(
                @{ Name = 'list'; Summary = 'list the account''s keys' }
                @{ Name = 'show'; Summary = 'show what the key in use has spent' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'keys list' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'keys show' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'webhooks' = @{
            Verbs = @(
                @{ Name = 'show'; Summary = 'show where notifications go' }
                @{ Name = 'set'; Summary = 'set where notifications go' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'webhooks show' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'webhooks set' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--media'); Summary = 'where the end of a media job is told (https); none takes it away'; Kind = 'nothing' }
                @{ Names = @('--balance'); Summary = 'where a low balance is told (https); none takes it away'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'tickets' = @{
            Verbs = @(
                @{ Name = 'create'; Summary = 'open a support ticket' }
                @{ Name = 'list'; Summary = 'list support tickets, newest first' }
                @{ Name = 'show'; Summary = 'show a ticket with its messages' }
                @{ Name = 'reply'; Summary = 'add a message to a ticket' }
                @{ Name = 'close'; Summary = 'close a ticket' }
                @{ Name = 'download'; Summary = 'fetch the images of a ticket' }
                @{ Name = 'watch'; Summary = 'wait for an answer to a ticket' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'tickets create' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--subject'); Summary = '3 to 200 characters'; Kind = 'nothing' }
                @{ Names = @('--message'); Summary = '10 to 8000 characters; - is stdin'; Kind = 'nothing' }
                @{ Names = @('-f', '--file'); Summary = 'a text file with the message; - is stdin'; Kind = 'file' }
                @{ Names = @('--category'); Summary = 'what it is about (default: general)'; Kind = 'words'; Words = @('api_error', 'performance', 'incorrect_response', 'integration', 'feature_request', 'other', 'billing', 'account', 'general') }
                @{ Names = @('--request-id'); Summary = 'a request that it is about; up to 10'; Kind = 'nothing' }
                @{ Names = @('-a', '--attach'); Summary = 'an image to go with it (PNG, JPEG, GIF or WebP, 10 MB each); up to 5'; Kind = 'file' }
                @{ Names = @('--incident-id'); Summary = 'an id of your own, by which the service knows the same report again'; Kind = 'nothing' }
                @{ Names = @('--from-last-error'); Summary = 'tell of the last command that failed'; Kind = '' }
                @{ Names = @('--follow-up'); Summary = 'cite this ticket, which is closed, and take its subject and category'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'tickets list' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--status'); Summary = 'only those that stand like this'; Kind = 'words'; Words = @('open', 'replied', 'closed') }
                @{ Names = @('--limit'); Summary = 'tickets a page; with --all 100 unless given (default: 20)'; Kind = 'nothing' }
                @{ Names = @('--after'); Summary = 'go on from here: the nextCursor of a page (--json)'; Kind = 'nothing' }
                @{ Names = @('--all'); Summary = 'every page, as a stream'; Kind = '' }
            )
            Operands = @(
            )
        }
        'tickets show' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'tickets reply' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-f', '--file'); Summary = 'a text file with the message; - is stdin'; Kind = 'file' }
                @{ Names = @('-a', '--attach'); Summary = 'an image to go with it (PNG, JPEG, GIF or WebP, 10 MB each); up to 5'; Kind = 'file' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
                @{ Many = $true; Kind = 'nothing' }
            )
        }
        'tickets close' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'tickets download' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('-o', '--output'); Summary = 'where they go; a file and stdout (-) take one'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'tickets watch' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'feedback' = @{
            Verbs = @(
                @{ Name = 'create'; Summary = 'send a technical report (deprecated: svc tickets create)' }
                @{ Name = 'show'; Summary = 'show a technical report (deprecated: svc tickets show)' }
            )
            Flags = @(
            )
            Operands = @(
            )
        }
        'feedback create' = @{
            Verbs = @(
            )
            Flags = @(
                @{ Names = @('--category'); Summary = 'what it is about; required'; Kind = 'words'; Words = @('api_error', 'performance', 'incorrect_response', 'integration', 'feature_request', 'other') }
                @{ Names = @('--summary'); Summary = '3 to 200 characters; required'; Kind = 'nothing' }
                @{ Names = @('--details'); Summary = '10 to 4000 characters; - is stdin'; Kind = 'nothing' }
                @{ Names = @('-f', '--file'); Summary = 'a text file with the details; - is stdin'; Kind = 'file' }
                @{ Names = @('--request-id'); Summary = 'a request that it is about; up to 10'; Kind = 'nothing' }
                @{ Names = @('--incident-id'); Summary = 'an id of your own, by which the service knows the same report again'; Kind = 'nothing' }
            )
            Operands = @(
            )
        }
        'feedback show' = @{
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
                @{ Names = @('--corpus'); Summary = 'a folder of texts to search besides the manual (SVC_LOCAL_CORPUS)'; Kind = 'file' }
                @{ Names = @('--job-time'); Summary = 'how long a media job takes, in place of each model''s time (SVC_LOCAL_JOB_TIME)'; Kind = 'nothing' }
                @{ Names = @('--image-deadline'); Summary = 'how long an image may take before its caller is told 504 (default: 60s)'; Kind = 'nothing' }
                @{ Names = @('--reply-time'); Summary = 'how long a ticket waits for its answer; 10s unless given (SVC_LOCAL_REPLY_TIME)'; Kind = 'nothing' }
                @{ Names = @('--allow-loopback-webhooks'); Summary = 'send notifications to addresses on this machine as well, by http too'; Kind = '' }
                @{ Names = @('--allow-fetch'); Summary = 'fetch the recordings of voices from https addresses, and from this machine'; Kind = '' }
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
                @{ Names = @('-o', '--output'); Summary = 'write it to a new file; - is stdout'; Kind = 'file' }
                @{ Names = @('--force'); Summary = 'replace the file of -o'; Kind = '' }
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
                @{ Many = $false; Kind = 'words'; Words = @('profile', 'key', 'base_url', 'brand', 'model', 'connect_timeout', 'first_byte_timeout', 'idle_timeout', 'retry_wait', 'low_balance') }
            )
        }
        'config set' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('base_url', 'brand', 'model', 'connect_timeout', 'first_byte_timeout', 'idle_timeout', 'retry_wait', 'low_balance') }
                @{ Many = $false; Kind = 'nothing' }
            )
        }
        'config unset' = @{
            Verbs = @(
            )
            Flags = @(
            )
            Operands = @(
                @{ Many = $false; Kind = 'words'; Words = @('base_url', 'brand', 'model', 'connect_timeout', 'first_byte_timeout', 'idle_timeout', 'retry_wait', 'low_balance') }
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
                @{ Many = $false; Kind = 'words'; Words = @('chat', 'generate', 'jobs', 'image', 'files', 'speak', 'transcribe', 'voices', 'search', 'embed', 'decide', 'models', 'balance', 'usage', 'keys', 'webhooks', 'tickets', 'feedback', 'serve', 'api', 'openapi', 'login', 'logout', 'whoami', 'config', 'completion', 'exit-codes', 'environment') }
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
    if ($slot -and $slot.Kind -eq 'model' -and $isLocal) { $words = @('local/guide', 'local/echo', 'local/script', 'local/embed', 'local/decide') }
    $found = foreach ($word in $words) {
        if ($word.StartsWith($current, [StringComparison]::Ordinal)) {
            New-Result "$prefix$word" 'ParameterValue' $word
        }
    }
    if ($found) { return $found } else { return $nothing }
}
