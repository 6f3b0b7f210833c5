# fish completion for svc, made from its declarations.

# Prints the command that stands on the line, and how many operands follow it.
# Fails after --, where all is text.
function __svc_place
    set -l valued --base-url --profile --timeout --connect-timeout --first-byte-timeout --idle-timeout --retry-wait
    set -l path
    set -l operands 0
    set -l takes_value no
    for token in (commandline -opc)[2..-1]
        if test $takes_value = yes
            set takes_value no
            continue
        end
        switch $token
            case --
                return 1
            case '-*'
                contains -- $token $valued
                and set takes_value yes
            case '*'
                if contains -- "$path" '' jobs image files voices models usage keys webhooks tickets feedback config
                    set -a path $token
                    switch "$path"
                        case 'chat'
                            set -a valued -m --model -s --system --messages -a --attach --search --format --max-tokens --temperature --top-p --reasoning-effort --reasoning-summary --thinking --thinking-budget --tools --tool-choice --schema -o --output
                        case 'generate'
                            set -a valued --opt --opts --input --webhook-url --idempotency-key --sandbox-outcome --max-price --quote-id -o --output
                        case 'jobs download'
                            set -a valued -o --output
                        case 'jobs extend'
                            set -a valued --tier --seeds --watermark --max-price -o --output
                        case 'image create'
                            set -a valued -m --model --size --quality -n --count --user --response-format -o --output
                        case 'image list'
                            set -a valued --limit
                        case 'files upload'
                            set -a valued --name
                        case 'speak'
                            set -a valued -f --file -m --model --voice --format --speed -o --output --max-chars
                        case 'transcribe'
                            set -a valued -m --model --language
                        case 'voices create'
                            set -a valued --engine
                        case 'search'
                            set -a valued -n --count --mode --country --language --region
                        case 'embed'
                            set -a valued -m --model -f --file --skip --batch --similar -n --count --encoding -o --output
                        case 'decide'
                            set -a valued --state -m --model --choice --option --score --level --noul --questions --exit-on
                        case 'models list'
                            set -a valued --type --match --sort
                        case 'models all'
                            set -a valued --match --sort
                        case 'models capabilities'
                            set -a valued --page --limit --match
                        case 'models pricing'
                            set -a valued --match --sort
                        case 'models catalog'
                            set -a valued --match --sort
                        case 'models media'
                            set -a valued --match --sort
                        case 'balance'
                            set -a valued --warn-below
                        case 'usage list'
                            set -a valued --since --until --page --limit
                        case 'usage chart'
                            set -a valued --since --until --by
                        case 'webhooks set'
                            set -a valued --media --balance
                        case 'tickets create'
                            set -a valued --subject --message -f --file --category --request-id -a --attach --incident-id --follow-up
                        case 'tickets list'
                            set -a valued --status --limit --after
                        case 'tickets reply'
                            set -a valued -f --file -a --attach
                        case 'tickets download'
                            set -a valued -o --output
                        case 'feedback create'
                            set -a valued --category --summary --details -f --file --request-id --incident-id
                        case 'serve'
                            set -a valued --port --host --script --corpus --job-time --image-deadline --reply-time
                        case 'api'
                            set -a valued -F --field -f --raw-field --input -H --header
                        case 'openapi'
                            set -a valued -o --output
                    end
                else
                    set operands (math $operands + 1)
                end
        end
    end
    echo "$path"
    echo $operands
end

# Whether the command $argv[1] stands on the line. With $argv[2] and $argv[3], whether as many
# operands follow it as lie between these.
function __svc_at
    set -l place (__svc_place)
    or return
    test "$place[1]" = "$argv[1]"
    or return
    set -q argv[2]
    or return 0
    test $place[2] -ge $argv[2] -a $place[2] -le $argv[3]
end

# The models of the embedded service, when it is asked for; others only a call could tell.
function __svc_models
    contains -- --local (commandline -opc)
    and printf '%s\n' local/guide local/echo local/script local/embed local/decide
end

complete -c svc -f
complete -c svc -n '__svc_place >/dev/null' -l json -d 'print the result, and failures, as JSON'
complete -c svc -n '__svc_place >/dev/null' -s q -l quiet -d 'say nothing on stderr but warnings and errors'
complete -c svc -n '__svc_place >/dev/null' -s v -l verbose -d 'show each request on stderr, secrets hidden'
complete -c svc -n '__svc_place >/dev/null' -l local -d 'use the embedded service: offline, no account'
complete -c svc -n '__svc_place >/dev/null' -l base-url -r -f -d 'where the service is (SVC_BASE_URL)'
complete -c svc -n '__svc_place >/dev/null' -l profile -r -f -d 'the profile to use (SVC_PROFILE)'
complete -c svc -n '__svc_place >/dev/null' -l dry-run -d 'print the request as JSON, send nothing'
complete -c svc -n '__svc_place >/dev/null' -l curl -d 'print the request as a curl command'
complete -c svc -n '__svc_place >/dev/null' -l timeout -r -f -d 'give up after this long in all (30s, 5m)'
complete -c svc -n '__svc_place >/dev/null' -l connect-timeout -r -f -d 'time to connect (default: 10s)'
complete -c svc -n '__svc_place >/dev/null' -l first-byte-timeout -r -f -d 'time for an answer to begin; 10m where it is made meanwhile (default: 60s)'
complete -c svc -n '__svc_place >/dev/null' -l idle-timeout -r -f -d 'time for an answer to go on (default: 60s)'
complete -c svc -n '__svc_place >/dev/null' -l retry-wait -r -f -d 'how long to wait in all where the service asks to, without --timeout (default: 60s)'
complete -c svc -n '__svc_place >/dev/null' -l yes -d 'answer every confirmation with yes'
complete -c svc -n '__svc_place >/dev/null' -l no-input -d 'never ask; fail instead'
complete -c svc -n '__svc_place >/dev/null' -s h -l help -d 'show help'

complete -c svc -n '__svc_at \'\'' -a 'chat' -d 'ask a model and read the answer as it arrives'
complete -c svc -n '__svc_at \'\'' -a 'generate' -d 'make images, video, audio, music or 3D'
complete -c svc -n '__svc_at \'\'' -a 'jobs' -d 'media jobs: what was made, what is under way, what has to be fetched'
complete -c svc -n '__svc_at \'\'' -a 'image' -d 'images that are made while you wait'
complete -c svc -n '__svc_at \'\'' -a 'files' -d 'source files for media jobs'
complete -c svc -n '__svc_at \'\'' -a 'speak' -d 'speak a text'
complete -c svc -n '__svc_at \'\'' -a 'transcribe' -d 'write down what a recording says'
complete -c svc -n '__svc_at \'\'' -a 'voices' -d 'cloned voices'
complete -c svc -n '__svc_at \'\'' -a 'search' -d 'search the web'
complete -c svc -n '__svc_at \'\'' -a 'embed' -d 'turn texts into vectors, or rank texts by meaning'
complete -c svc -n '__svc_at \'\'' -a 'decide' -d 'answer named questions about a text, with probabilities'
complete -c svc -n '__svc_at \'\'' -a 'models' -d 'the models of the service'
complete -c svc -n '__svc_at \'\'' -a 'balance' -d 'show the prepaid balance'
complete -c svc -n '__svc_at \'\'' -a 'usage' -d 'what calls cost'
complete -c svc -n '__svc_at \'\'' -a 'keys' -d 'the account\'s keys'
complete -c svc -n '__svc_at \'\'' -a 'webhooks' -d 'where notifications go'
complete -c svc -n '__svc_at \'\'' -a 'tickets' -d 'support tickets: open, read, answer, close'
complete -c svc -n '__svc_at \'\'' -a 'feedback' -d 'technical reports (deprecated: svc tickets)'
complete -c svc -n '__svc_at \'\'' -a 'serve' -d 'run the embedded service over HTTP on loopback'
complete -c svc -n '__svc_at \'\'' -a 'api' -d 'send a request to any path of the service'
complete -c svc -n '__svc_at \'\'' -a 'openapi' -d 'print the service\'s OpenAPI description'
complete -c svc -n '__svc_at \'\'' -a 'login' -d 'store a base URL and a key'
complete -c svc -n '__svc_at \'\'' -a 'logout' -d 'remove the stored key'
complete -c svc -n '__svc_at \'\'' -a 'whoami' -d 'show the profile and key in use, and prove them'
complete -c svc -n '__svc_at \'\'' -a 'config' -d 'show and change settings and profiles'
complete -c svc -n '__svc_at \'\'' -a 'completion' -d 'print the script that completes svc in a shell'
complete -c svc -n '__svc_at \'\'' -a 'exit-codes' -d 'what the exit codes mean'
complete -c svc -n '__svc_at \'\'' -a 'environment' -d 'the environment variables that svc heeds'
complete -c svc -n '__svc_at \'\'' -a 'help' -d 'show help for a command or a topic'
complete -c svc -n '__svc_at \'\'' -s V -l version -d 'print the version'

complete -c svc -n '__svc_at \'chat\'' -s m -l model -r -f -a '(__svc_models)' -d 'the model (see `svc models list`)'
complete -c svc -n '__svc_at \'chat\'' -s s -l system -r -f -d 'the system prompt'
complete -c svc -n '__svc_at \'chat\'' -l messages -r -F -d 'what was said before: messages in JSON, or an object with messages and system'
complete -c svc -n '__svc_at \'chat\'' -s a -l attach -r -F -d 'an image or a text file to send along; may be repeated'
complete -c svc -n '__svc_at \'chat\'' -l search -r -f -d 'search the web for this first; the answer cites what was found'
complete -c svc -n '__svc_at \'chat\'' -l format -r -f -a 'chat messages responses' -d 'the wire format (default: chat)'
complete -c svc -n '__svc_at \'chat\'' -l max-tokens -r -f -d 'at most this many tokens in the answer'
complete -c svc -n '__svc_at \'chat\'' -l temperature -r -f -d 'from 0 to 2'
complete -c svc -n '__svc_at \'chat\'' -l top-p -r -f -d 'sample from this share of the probability'
complete -c svc -n '__svc_at \'chat\'' -l reasoning-effort -r -f -a 'none minimal low medium high xhigh max' -d 'how hard to think (chat, responses)'
complete -c svc -n '__svc_at \'chat\'' -l reasoning-summary -r -f -a 'auto concise detailed' -d 'summarise the reasoning (responses)'
complete -c svc -n '__svc_at \'chat\'' -l thinking -r -f -a 'enabled disabled' -d 'whether to think before the answer (messages)'
complete -c svc -n '__svc_at \'chat\'' -l thinking-budget -r -f -d 'tokens to think with (messages)'
complete -c svc -n '__svc_at \'chat\'' -l no-reasoning -d 'do not show reasoning'
complete -c svc -n '__svc_at \'chat\'' -l tools -r -F -d 'tool definitions, a JSON array'
complete -c svc -n '__svc_at \'chat\'' -l tool-choice -r -f -a 'auto none required' -d 'auto, none, required, or a tool by name'
complete -c svc -n '__svc_at \'chat\'' -l json-object -d 'the answer must be a JSON object (chat, responses)'
complete -c svc -n '__svc_at \'chat\'' -l schema -r -F -d 'the answer must fit this JSON Schema (chat, responses)'
complete -c svc -n '__svc_at \'chat\'' -l no-stream -d 'wait for the whole answer'
complete -c svc -n '__svc_at \'chat\'' -l count-tokens -d 'estimate the input tokens instead of asking'
complete -c svc -n '__svc_at \'chat\'' -s o -l output -r -F -d 'write the answer to a new file; - is stdout'
complete -c svc -n '__svc_at \'chat\'' -l force -d 'replace the file of -o'
complete -c svc -n '__svc_at \'chat\'' -s x -l extract -d 'print only the first fenced code block'
complete -c svc -n '__svc_at \'chat\'' -l events -d 'print each event as a line of JSON; `done` comes last'

complete -c svc -n '__svc_at \'generate\'' -l opt -r -f -d 'an option of the model; @FILE is the content of a file; may be repeated'
complete -c svc -n '__svc_at \'generate\'' -l opts -r -F -d 'options of the model, a JSON object; --opt wins over it'
complete -c svc -n '__svc_at \'generate\'' -l input -r -F -d 'a source; NAME says which option it fills; may be repeated'
complete -c svc -n '__svc_at \'generate\'' -l inline -d 'send local sources within the request instead of uploading them'
complete -c svc -n '__svc_at \'generate\'' -l strict -d 'refuse what would not run exactly as written'
complete -c svc -n '__svc_at \'generate\'' -l webhook-url -r -f -d 'a public https URL that is told when the job ends'
complete -c svc -n '__svc_at \'generate\'' -l idempotency-key -r -f -d 'the same key gives the same job, never a second one'
complete -c svc -n '__svc_at \'generate\'' -l sandbox-outcome -r -f -a 'submission_uncertain' -d 'simulate this, with a sandbox key'
complete -c svc -n '__svc_at \'generate\'' -l refresh -d 'ask anew what the model takes, instead of once an hour'
complete -c svc -n '__svc_at \'generate\'' -l quote -d 'tell the price and make nothing'
complete -c svc -n '__svc_at \'generate\'' -l max-price -r -f -d 'the most that the job may cost; the quoted price unless given'
complete -c svc -n '__svc_at \'generate\'' -l quote-id -r -f -d 'make it at the price of this quote (quoteId of --quote --json), or not at all'
complete -c svc -n '__svc_at \'generate\'' -l new -d 'make and pay for another, where an earlier run of this did not end'
complete -c svc -n '__svc_at \'generate\'' -l no-wait -d 'print the id of the job at once; it goes on by itself'
complete -c svc -n '__svc_at \'generate\'' -s o -l output -r -F -d 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout'
complete -c svc -n '__svc_at \'generate\'' -l force -d 'replace the file of -o'
complete -c svc -n '__svc_at \'generate\'' -l open -d 'show the first result with the system\'s viewer'
complete -c svc -n '__svc_at \'generate\' 0 0' -f -a '(__svc_models)'

complete -c svc -n '__svc_at \'jobs\'' -a 'list' -d 'list media jobs'
complete -c svc -n '__svc_at \'jobs\'' -a 'show' -d 'show one media job'
complete -c svc -n '__svc_at \'jobs\'' -a 'wait' -d 'wait until media jobs have ended'
complete -c svc -n '__svc_at \'jobs\'' -a 'resume' -d 'send a job that was cut off again, with its key'
complete -c svc -n '__svc_at \'jobs\'' -a 'download' -d 'fetch the results of media jobs'
complete -c svc -n '__svc_at \'jobs\'' -a 'extend' -d 'extend a finished video as a new job'

complete -c svc -n '__svc_at \'jobs list\'' -l all -d 'also old and refused ones, and those of other accounts'


complete -c svc -n '__svc_at \'jobs wait\'' -l all -d 'wait for all that are under way'


complete -c svc -n '__svc_at \'jobs download\'' -l all -d 'fetch all that has not been fetched yet'
complete -c svc -n '__svc_at \'jobs download\'' -s o -l output -r -F -d 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout'
complete -c svc -n '__svc_at \'jobs download\'' -l force -d 'replace the file of -o'

complete -c svc -n '__svc_at \'jobs extend\'' -l tier -r -f -a 'lite fast quality' -d 'how well it is made'
complete -c svc -n '__svc_at \'jobs extend\'' -l seeds -r -f -d 'where chance begins'
complete -c svc -n '__svc_at \'jobs extend\'' -l watermark -r -f -d 'a text to put on it'
complete -c svc -n '__svc_at \'jobs extend\'' -l quote -d 'tell the price and make nothing'
complete -c svc -n '__svc_at \'jobs extend\'' -l max-price -r -f -d 'the most that it may cost'
complete -c svc -n '__svc_at \'jobs extend\'' -l new -d 'make and pay for another, where an earlier run of this did not end'
complete -c svc -n '__svc_at \'jobs extend\'' -l no-wait -d 'print the id of the job at once; it goes on by itself'
complete -c svc -n '__svc_at \'jobs extend\'' -s o -l output -r -F -d 'where results go; may hold {model}, {job}, {index}, {ext}; - is stdout'
complete -c svc -n '__svc_at \'jobs extend\'' -l force -d 'replace the file of -o'
complete -c svc -n '__svc_at \'jobs extend\'' -l open -d 'show the first result with the system\'s viewer'

complete -c svc -n '__svc_at \'image\'' -a 'create' -d 'make an image and wait for it'
complete -c svc -n '__svc_at \'image\'' -a 'list' -d 'list the key\'s image jobs, newest first'

complete -c svc -n '__svc_at \'image create\'' -s m -l model -r -f -a '(__svc_models)' -d 'the image model (see `svc models list --type image`)'
complete -c svc -n '__svc_at \'image create\'' -l size -r -f -d 'such as 1024x1024 or 1792x1024, or auto; its ratio counts'
complete -c svc -n '__svc_at \'image create\'' -l quality -r -f -d 'what the model offers, or auto'
complete -c svc -n '__svc_at \'image create\'' -s n -l count -r -f -d 'how many: the service makes 1 at a time'
complete -c svc -n '__svc_at \'image create\'' -l user -r -f -d 'whom it is for; the service ignores it'
complete -c svc -n '__svc_at \'image create\'' -l response-format -r -f -a 'url b64_json' -d 'how the image travels (default: url)'
complete -c svc -n '__svc_at \'image create\'' -s o -l output -r -F -d 'where the image goes; may hold {model}, {job}, {index}, {ext}; - is stdout'
complete -c svc -n '__svc_at \'image create\'' -l force -d 'replace the file of -o'
complete -c svc -n '__svc_at \'image create\'' -l new -d 'make and pay for another, where an earlier run of this did not end'
complete -c svc -n '__svc_at \'image create\'' -l open -d 'show the image with the system\'s viewer'

complete -c svc -n '__svc_at \'image list\'' -l limit -r -f -d 'how many (default: 20)'

complete -c svc -n '__svc_at \'files\'' -a 'upload' -d 'upload a file and print its id'

complete -c svc -n '__svc_at \'files upload\'' -l name -r -f -d 'what to call it'
complete -c svc -n '__svc_at \'files upload\' 0 0' -F

complete -c svc -n '__svc_at \'speak\'' -s f -l file -r -F -d 'a text file to speak; - is stdin'
complete -c svc -n '__svc_at \'speak\'' -s m -l model -r -f -a '(__svc_models)' -d 'the speech model (see `svc models list --all`)'
complete -c svc -n '__svc_at \'speak\'' -l voice -r -f -d 'a voice of the model, or a cloned one by its id or name'
complete -c svc -n '__svc_at \'speak\'' -l format -r -f -a 'mp3 opus aac flac wav pcm' -d 'of the sound; by default what the name of -o ends in, else as the model has it'
complete -c svc -n '__svc_at \'speak\'' -l speed -r -f -d 'from 0.25 to 4; 1 is normal'
complete -c svc -n '__svc_at \'speak\'' -s o -l output -r -F -d 'where the sound goes; - is stdout, as it arrives'
complete -c svc -n '__svc_at \'speak\'' -l force -d 'replace the file of -o'
complete -c svc -n '__svc_at \'speak\'' -l open -d 'play the file with the system\'s player'
complete -c svc -n '__svc_at \'speak\'' -l max-chars -r -f -d 'pay for no more than this many characters'
complete -c svc -n '__svc_at \'speak\'' -l no-split -d 'refuse a text of more than 10000 characters'
complete -c svc -n '__svc_at \'speak\'' -l new -d 'make and pay for another, where an earlier run of this did not end'
complete -c svc -n '__svc_at \'speak\'' -l resume -d 'go on after a cut: what was spoken is not paid again'

complete -c svc -n '__svc_at \'transcribe\'' -s m -l model -r -f -a '(__svc_models)' -d 'the model that listens (see `svc models list --all`)'
complete -c svc -n '__svc_at \'transcribe\'' -l language -r -f -d 'what is spoken, such as en'
complete -c svc -n '__svc_at \'transcribe\'' -l split -d 'cut a WAV file of more than 50 MB where it is quiet, and join the text'
complete -c svc -n '__svc_at \'transcribe\'' -l new -d 'make and pay for another, where an earlier run of this did not end'
complete -c svc -n '__svc_at \'transcribe\'' -l resume -d 'go on after a cut: what was written down is not paid again'
complete -c svc -n '__svc_at \'transcribe\' 0 0' -F

complete -c svc -n '__svc_at \'voices\'' -a 'list' -d 'list your cloned voices, what they cost, and the prices'
complete -c svc -n '__svc_at \'voices\'' -a 'create' -d 'clone a voice from recordings'
complete -c svc -n '__svc_at \'voices\'' -a 'delete' -d 'delete a cloned voice'
complete -c svc -n '__svc_at \'voices\'' -a 'add-samples' -d 'add recordings to a voice of the engine extvoice'


complete -c svc -n '__svc_at \'voices create\'' -l engine -r -f -a 'standard premium extvoice' -d 'what makes the voice'
complete -c svc -n '__svc_at \'voices create\'' -l remove-background-noise -d 'let the service take noise out of the recordings'
complete -c svc -n '__svc_at \'voices create\'' -l consent -d 'you state that whoever is heard agreed to their voice being cloned'
complete -c svc -n '__svc_at \'voices create\'' -l new -d 'make and pay for another, where an earlier run of this did not end'
complete -c svc -n '__svc_at \'voices create\' 1 9999' -F


complete -c svc -n '__svc_at \'voices add-samples\'' -l remove-background-noise -d 'let the service take noise out of the recordings'
complete -c svc -n '__svc_at \'voices add-samples\' 1 9999' -F

complete -c svc -n '__svc_at \'search\'' -s n -l count -r -f -d 'how many results (default: 10)'
complete -c svc -n '__svc_at \'search\'' -l mode -r -f -a 'turbo base pro' -d 'how thorough (default: turbo)'
complete -c svc -n '__svc_at \'search\'' -l country -r -f -d 'results for this country, as two letters'
complete -c svc -n '__svc_at \'search\'' -l language -r -f -d 'results in this language, as two letters'
complete -c svc -n '__svc_at \'search\'' -l region -r -f -a 'ru global' -d 'search the web of a region instead (/api/search)'
complete -c svc -n '__svc_at \'search\'' -l urls -d 'print the addresses alone, one a line'

complete -c svc -n '__svc_at \'embed\'' -s m -l model -r -f -a '(__svc_models)' -d 'the embeddings model'
complete -c svc -n '__svc_at \'embed\'' -s f -l file -r -F -d 'read the text from this file'
complete -c svc -n '__svc_at \'embed\'' -l lines -d 'every line is a text'
complete -c svc -n '__svc_at \'embed\'' -l skip -r -f -d 'leave out this many lines, to go on after them'
complete -c svc -n '__svc_at \'embed\'' -l batch -r -f -d 'send at most this many lines at once (default: 64)'
complete -c svc -n '__svc_at \'embed\'' -l similar -r -f -d 'rank the lines by how near they are to this instead'
complete -c svc -n '__svc_at \'embed\'' -s n -l count -r -f -d 'how many of the nearest (default: 10)'
complete -c svc -n '__svc_at \'embed\'' -l encoding -r -f -a 'float base64' -d 'how vectors travel (default: float)'
complete -c svc -n '__svc_at \'embed\'' -l raw -d 'print vectors of --encoding base64 as they are'
complete -c svc -n '__svc_at \'embed\'' -s o -l output -r -F -d 'write a new .npy or .jsonl file; - is stdout'
complete -c svc -n '__svc_at \'embed\'' -l force -d 'replace the file of -o'
complete -c svc -n '__svc_at \'embed\'' -l resume -d 'go on with the file of -o where an earlier run stopped'

complete -c svc -n '__svc_at \'decide\'' -l state -r -f -d 'what to decide about; a JSON object or list goes as one'
complete -c svc -n '__svc_at \'decide\'' -s m -l model -r -f -a '(__svc_models)' -d 'the decisions model, where there is more than one'
complete -c svc -n '__svc_at \'decide\'' -l choice -r -f -d 'which option? may be repeated'
complete -c svc -n '__svc_at \'decide\'' -l option -r -f -d 'an option of a --choice; may be repeated'
complete -c svc -n '__svc_at \'decide\'' -l score -r -f -d 'which level? may be repeated'
complete -c svc -n '__svc_at \'decide\'' -l level -r -f -d 'a level of a --score, the lowest first; may be repeated'
complete -c svc -n '__svc_at \'decide\'' -l noul -r -f -d 'how likely is a yes? may be repeated'
complete -c svc -n '__svc_at \'decide\'' -l questions -r -F -d 'questions by name, as JSON or YAML'
complete -c svc -n '__svc_at \'decide\'' -l exit-on -r -f -d 'end with 13 unless this is the answer; also !=, >= and <=; may be repeated'

complete -c svc -n '__svc_at \'models\'' -a 'list' -d 'list the models with price and context'
complete -c svc -n '__svc_at \'models\'' -a 'all' -d 'list every model the service has, of every kind'
complete -c svc -n '__svc_at \'models\'' -a 'show' -d 'show what is known of one model, and how to use it'
complete -c svc -n '__svc_at \'models\'' -a 'capabilities' -d 'show what media models take'
complete -c svc -n '__svc_at \'models\'' -a 'pricing' -d 'show the prices of text models and of tools'
complete -c svc -n '__svc_at \'models\'' -a 'catalog' -d 'show the public catalog of text models; needs no key'
complete -c svc -n '__svc_at \'models\'' -a 'media' -d 'show the public catalog of media models; needs no key'

complete -c svc -n '__svc_at \'models list\'' -l type -r -f -d 'only models of this type, such as image'
complete -c svc -n '__svc_at \'models list\'' -l all -d 'media models too'
complete -c svc -n '__svc_at \'models list\'' -l variants -d 'every pinned variant of each model'
complete -c svc -n '__svc_at \'models list\'' -l match -r -f -d 'only those that have this anywhere in their entry; may be repeated'
complete -c svc -n '__svc_at \'models list\'' -l sort -r -f -a 'price context name' -d 'the cheapest, the longest context or the first name at the top'

complete -c svc -n '__svc_at \'models all\'' -l match -r -f -d 'only those that have this anywhere in their entry; may be repeated'
complete -c svc -n '__svc_at \'models all\'' -l sort -r -f -a 'price context name' -d 'the cheapest, the longest context or the first name at the top'

complete -c svc -n '__svc_at \'models show\' 0 0' -f -a '(__svc_models)'

complete -c svc -n '__svc_at \'models capabilities\'' -l all -d 'every page'
complete -c svc -n '__svc_at \'models capabilities\'' -l page -r -f -d 'which page (default: 1)'
complete -c svc -n '__svc_at \'models capabilities\'' -l limit -r -f -d 'models a page'
complete -c svc -n '__svc_at \'models capabilities\'' -l match -r -f -d 'only those that have this anywhere in their entry; may be repeated'
complete -c svc -n '__svc_at \'models capabilities\' 0 0' -f -a '(__svc_models)'

complete -c svc -n '__svc_at \'models pricing\'' -l match -r -f -d 'only those that have this anywhere in their entry; may be repeated'
complete -c svc -n '__svc_at \'models pricing\'' -l sort -r -f -a 'price context name' -d 'the cheapest, the longest context or the first name at the top'

complete -c svc -n '__svc_at \'models catalog\'' -l match -r -f -d 'only those that have this anywhere in their entry; may be repeated'
complete -c svc -n '__svc_at \'models catalog\'' -l sort -r -f -a 'price context name' -d 'the cheapest, the longest context or the first name at the top'

complete -c svc -n '__svc_at \'models media\'' -l match -r -f -d 'only those that have this anywhere in their entry; may be repeated'
complete -c svc -n '__svc_at \'models media\'' -l sort -r -f -a 'price context name' -d 'the cheapest, the longest context or the first name at the top'

complete -c svc -n '__svc_at \'balance\'' -l warn-below -r -f -d 'end with exit code 5 when less than this is left'

complete -c svc -n '__svc_at \'usage\'' -a 'list' -d 'list what was charged, newest first'
complete -c svc -n '__svc_at \'usage\'' -a 'show' -d 'show one usage record'
complete -c svc -n '__svc_at \'usage\'' -a 'keys' -d 'show what each key has used'
complete -c svc -n '__svc_at \'usage\'' -a 'chart' -d 'show cost, calls and tokens by day or by model'

complete -c svc -n '__svc_at \'usage list\'' -l since -r -f -d 'from then on: 7d, 24h, 2026-11-01, 2026-11 or a time; days are those of UTC'
complete -c svc -n '__svc_at \'usage list\'' -l until -r -f -d 'up to then; a day or a month to its end'
complete -c svc -n '__svc_at \'usage list\'' -l all -d 'every page, as a stream'
complete -c svc -n '__svc_at \'usage list\'' -l page -r -f -d 'which page (default: 1)'
complete -c svc -n '__svc_at \'usage list\'' -l limit -r -f -d 'records a page; with --all 100 unless given (default: 20)'
complete -c svc -n '__svc_at \'usage list\'' -l csv -d 'print CSV with a line of titles (RFC 4180)'



complete -c svc -n '__svc_at \'usage chart\'' -l since -r -f -d 'from then on: 7d, 24h, 2026-11-01, 2026-11 or a time; days are those of UTC (default: 30d)'
complete -c svc -n '__svc_at \'usage chart\'' -l until -r -f -d 'up to then; a day or a month to its end'
complete -c svc -n '__svc_at \'usage chart\'' -l by -r -f -a 'day model' -d 'what a row stands for (default: day)'

complete -c svc -n '__svc_at \'keys\'' -a 'list' -d 'list the account\'s keys'
complete -c svc -n '__svc_at \'keys\'' -a 'show' -d 'show what the key in use has spent'



complete -c svc -n '__svc_at \'webhooks\'' -a 'show' -d 'show where notifications go'
complete -c svc -n '__svc_at \'webhooks\'' -a 'set' -d 'set where notifications go'


complete -c svc -n '__svc_at \'webhooks set\'' -l media -r -f -d 'where the end of a media job is told (https); none takes it away'
complete -c svc -n '__svc_at \'webhooks set\'' -l balance -r -f -d 'where a low balance is told (https); none takes it away'

complete -c svc -n '__svc_at \'tickets\'' -a 'create' -d 'open a support ticket'
complete -c svc -n '__svc_at \'tickets\'' -a 'list' -d 'list support tickets, newest first'
complete -c svc -n '__svc_at \'tickets\'' -a 'show' -d 'show a ticket with its messages'
complete -c svc -n '__svc_at \'tickets\'' -a 'reply' -d 'add a message to a ticket'
complete -c svc -n '__svc_at \'tickets\'' -a 'close' -d 'close a ticket'
complete -c svc -n '__svc_at \'tickets\'' -a 'download' -d 'fetch the images of a ticket'
complete -c svc -n '__svc_at \'tickets\'' -a 'watch' -d 'wait for an answer to a ticket'

complete -c svc -n '__svc_at \'tickets create\'' -l subject -r -f -d '3 to 200 characters'
complete -c svc -n '__svc_at \'tickets create\'' -l message -r -f -d '10 to 8000 characters; - is stdin'
complete -c svc -n '__svc_at \'tickets create\'' -s f -l file -r -F -d 'a text file with the message; - is stdin'
complete -c svc -n '__svc_at \'tickets create\'' -l category -r -f -a 'api_error performance incorrect_response integration feature_request other billing account general' -d 'what it is about (default: general)'
complete -c svc -n '__svc_at \'tickets create\'' -l request-id -r -f -d 'a request that it is about; up to 10'
complete -c svc -n '__svc_at \'tickets create\'' -s a -l attach -r -F -d 'an image to go with it (PNG, JPEG, GIF or WebP, 10 MB each); up to 5'
complete -c svc -n '__svc_at \'tickets create\'' -l incident-id -r -f -d 'an id of your own, by which the service knows the same report again'
complete -c svc -n '__svc_at \'tickets create\'' -l from-last-error -d 'tell of the last command that failed'
complete -c svc -n '__svc_at \'tickets create\'' -l follow-up -r -f -d 'cite this ticket, which is closed, and take its subject and category'

complete -c svc -n '__svc_at \'tickets list\'' -l status -r -f -a 'open replied closed' -d 'only those that stand like this'
complete -c svc -n '__svc_at \'tickets list\'' -l limit -r -f -d 'tickets a page; with --all 100 unless given (default: 20)'
complete -c svc -n '__svc_at \'tickets list\'' -l after -r -f -d 'go on from here: the nextCursor of a page (--json)'
complete -c svc -n '__svc_at \'tickets list\'' -l all -d 'every page, as a stream'


complete -c svc -n '__svc_at \'tickets reply\'' -s f -l file -r -F -d 'a text file with the message; - is stdin'
complete -c svc -n '__svc_at \'tickets reply\'' -s a -l attach -r -F -d 'an image to go with it (PNG, JPEG, GIF or WebP, 10 MB each); up to 5'


complete -c svc -n '__svc_at \'tickets download\'' -s o -l output -r -F -d 'where they go; a file and stdout (-) take one'
complete -c svc -n '__svc_at \'tickets download\'' -l force -d 'replace the file of -o'


complete -c svc -n '__svc_at \'feedback\'' -a 'create' -d 'send a technical report (deprecated: svc tickets create)'
complete -c svc -n '__svc_at \'feedback\'' -a 'show' -d 'show a technical report (deprecated: svc tickets show)'

complete -c svc -n '__svc_at \'feedback create\'' -l category -r -f -a 'api_error performance incorrect_response integration feature_request other' -d 'what it is about; required'
complete -c svc -n '__svc_at \'feedback create\'' -l summary -r -f -d '3 to 200 characters; required'
complete -c svc -n '__svc_at \'feedback create\'' -l details -r -f -d '10 to 4000 characters; - is stdin'
complete -c svc -n '__svc_at \'feedback create\'' -s f -l file -r -F -d 'a text file with the details; - is stdin'
complete -c svc -n '__svc_at \'feedback create\'' -l request-id -r -f -d 'a request that it is about; up to 10'
complete -c svc -n '__svc_at \'feedback create\'' -l incident-id -r -f -d 'an id of your own, by which the service knows the same report again'


complete -c svc -n '__svc_at \'serve\'' -l port -r -f -d 'the port; 0 picks a free one (default: 8787)'
complete -c svc -n '__svc_at \'serve\'' -l host -r -f -d 'a loopback address (default: 127.0.0.1)'
complete -c svc -n '__svc_at \'serve\'' -l script -r -F -d 'what local/script answers from (SVC_LOCAL_SCRIPT)'
complete -c svc -n '__svc_at \'serve\'' -l corpus -r -f -a '(__fish_complete_directories (commandline -ct))' -d 'a folder of texts to search besides the manual (SVC_LOCAL_CORPUS)'
complete -c svc -n '__svc_at \'serve\'' -l job-time -r -f -d 'how long a media job takes, in place of each model\'s time (SVC_LOCAL_JOB_TIME)'
complete -c svc -n '__svc_at \'serve\'' -l image-deadline -r -f -d 'how long an image may take before its caller is told 504 (default: 60s)'
complete -c svc -n '__svc_at \'serve\'' -l reply-time -r -f -d 'how long a ticket waits for its answer; 10s unless given (SVC_LOCAL_REPLY_TIME)'
complete -c svc -n '__svc_at \'serve\'' -l allow-loopback-webhooks -d 'send notifications to addresses on this machine as well, by http too'
complete -c svc -n '__svc_at \'serve\'' -l allow-fetch -d 'fetch the recordings of voices from https addresses, and from this machine'
complete -c svc -n '__svc_at \'serve\'' -l memory -d 'keep the ledger in memory, and start afresh each time'

complete -c svc -n '__svc_at \'api\'' -s F -l field -r -f -d 'true, false, null, a number, @FILE, @- or text; may be repeated'
complete -c svc -n '__svc_at \'api\'' -s f -l raw-field -r -f -d 'a field whose value is text as it stands; may be repeated'
complete -c svc -n '__svc_at \'api\'' -l input -r -F -d 'send this as the body; fields then go to the query'
complete -c svc -n '__svc_at \'api\'' -s H -l header -r -f -d 'a further header; may be repeated'
complete -c svc -n '__svc_at \'api\'' -s i -l include -d 'print the status and the headers before the body'
complete -c svc -n '__svc_at \'api\'' -l paginate -d 'print each page in turn until there is none'
complete -c svc -n '__svc_at \'api\'' -l slurp -d 'with --paginate: print one JSON array of the pages'
complete -c svc -n '__svc_at \'api\' 0 0' -f -a 'GET POST PATCH DELETE'

complete -c svc -n '__svc_at \'openapi\'' -s o -l output -r -F -d 'write it to a new file; - is stdout'
complete -c svc -n '__svc_at \'openapi\'' -l force -d 'replace the file of -o'

complete -c svc -n '__svc_at \'login\'' -l with-key -d 'read the key from standard input'
complete -c svc -n '__svc_at \'login\'' -l no-verify -d 'store the key without proving it'

complete -c svc -n '__svc_at \'logout\'' -l all -d 'remove the keys of all profiles'


complete -c svc -n '__svc_at \'config\'' -a 'list' -d 'show the settings in force and where each comes from'
complete -c svc -n '__svc_at \'config\'' -a 'get' -d 'print one setting in force'
complete -c svc -n '__svc_at \'config\'' -a 'set' -d 'store a setting in the profile'
complete -c svc -n '__svc_at \'config\'' -a 'unset' -d 'remove a setting from the profile'
complete -c svc -n '__svc_at \'config\'' -a 'profiles' -d 'list the profiles'
complete -c svc -n '__svc_at \'config\'' -a 'use' -d 'make a profile the usual one'
complete -c svc -n '__svc_at \'config\'' -a 'path' -d 'print where the config file is'


complete -c svc -n '__svc_at \'config get\'' -l reveal -d 'print the key whole'
complete -c svc -n '__svc_at \'config get\' 0 0' -f -a 'profile key base_url brand model connect_timeout first_byte_timeout idle_timeout retry_wait low_balance'

complete -c svc -n '__svc_at \'config set\' 0 0' -f -a 'base_url brand model connect_timeout first_byte_timeout idle_timeout retry_wait low_balance'

complete -c svc -n '__svc_at \'config unset\' 0 0' -f -a 'base_url brand model connect_timeout first_byte_timeout idle_timeout retry_wait low_balance'




complete -c svc -n '__svc_at \'completion\' 0 0' -f -a 'bash zsh fish powershell'



complete -c svc -n '__svc_at \'help\' 0 0' -f -a 'chat generate jobs image files speak transcribe voices search embed decide models balance usage keys webhooks tickets feedback serve api openapi login logout whoami config completion exit-codes environment'
