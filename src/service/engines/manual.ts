/**
 * The manual that local/guide quotes, passage by passage. Made from docs/manual and the
 * declarations by `npm run generate`; changes here are lost.
 */

import type { Passage } from './passage.js';

export const passages: readonly Passage[] = [
  {
    title: 'What svc can do',
    text: 'svc is the command line of a prepaid service for language models. It asks models and streams their answers (`svc chat`), lists models (`svc models list`), shows the balance (`svc balance`), and runs the whole service offline (`--local`, `svc serve`). `svc --help` lists every command; `svc chat --help` explains one, with examples.',
    command: 'svc --help',
  },
  {
    title: 'Getting started',
    text: 'Without an account, put `--local` after `svc`: the embedded service answers on your own machine. With an account, run `svc login` once; it asks for the base URL and the key, proves the key with a call, and stores both.',
    command: 'svc --local chat "What can you do?"',
  },
  {
    title: 'Logging in and storing a key',
    text: '`svc login` asks for the base URL and the API key, which is typed unseen, proves it and stores it, readable by you alone. `--with-key` reads the key from standard input. A key is never given as an argument: others could see it.\n\nIf the service answers 401, it does not know the key; with 403 it knows the key, but not from your address, and the allow-list in the web cabinet has to name it. Keys are made in the cabinet.',
    command: 'svc login',
  },
  {
    title: 'Logging out',
    text: '`svc logout` removes the stored key of the profile and keeps its other settings; `--all` removes the keys of all profiles.',
    command: 'svc logout',
  },
  {
    title: 'Which key and account is in use',
    text: '`svc whoami` shows the profile, the base URL and the key in use, where each comes from, and whether the service takes the key.',
    command: 'svc whoami',
  },
  {
    title: 'Profiles: several accounts',
    text: 'A profile is a base URL, a key and settings under a name. Log in with `--profile NAME` to make one, use it with `--profile NAME` or SVC_PROFILE, or make it the usual one with `svc config use NAME`.',
    command: 'svc login --profile work && svc config use work',
  },
  {
    title: 'How the key is kept private',
    text: 'The key is stored in a file that only you may read. It belongs to the origin it was stored for and is sent nowhere else, follows no redirect, and never travels over unencrypted http except on this machine. Messages, `-v` and `--dry-run` hide it, `--curl` writes `$SVC_API_KEY` in its place, and no command takes it as an argument, where other users could read it.',
    command: 'svc login --with-key < key.txt',
  },
  {
    title: 'Asking a question',
    text: '`svc chat` sends the prompt to a model and writes the answer to stdout as it arrives. Words after the command are joined to one prompt; quote it so that the shell leaves it alone. Choose the model with `-m`.',
    command: 'svc chat -m local/guide "How do I see my balance?"',
  },
  {
    title: 'The system prompt',
    text: '`-s` gives the model standing instructions, the system prompt: its role, tone or language. The prompt itself stays what you ask.',
    command: 'svc chat -s "Answer in one sentence." "What is a pipe?"',
  },
  {
    title: 'Piping text in (stdin)',
    text: 'Piped text comes first, then the prompt; text alone is the prompt. Standard input is read to its end, without a timer and without a cut, so a log or a diff of any size may be sent.',
    command: 'git diff | svc chat "Write a commit message for this."',
  },
  {
    title: 'Piping the answer on (stdout)',
    text: 'stdout holds the answer and nothing else; reasoning, tokens and price go to stderr. A pipe gets the bytes as they came, a slow reader is waited for, and when the reader goes away svc stops at once, with exit code 141.',
    command: 'svc chat "Ten names for a cat" | head -3',
  },
  {
    title: 'Sending files and images',
    text: '`-a` attaches a file, a URL or, with `-`, standard input: PNG, JPEG, GIF and WebP images go as pictures, text files as text. It may be repeated.',
    command: 'svc chat -a photo.jpg "What is this?"',
  },
  {
    title: 'Saving the answer to a file',
    text: '`-o FILE` writes the answer to a new file. A file that exists is refused unless `--force` is given. `-o -` is stdout. Until the answer is whole it stands in FILE.part, and what came of a broken answer stays there.',
    command: 'svc chat -o answer.md "Explain DNS"',
  },
  {
    title: 'Only the code',
    text: '`-x` prints only the first fenced code block of the answer, so that it can be run or written to a file. Without such a block svc ends with exit code 12 and shows the answer on stderr.',
    command: 'svc chat -x "a bash loop over *.png" > loop.sh',
  },
  {
    title: 'Waiting for the whole answer',
    text: '`--no-stream` asks for the answer in one piece instead of a stream.',
    command: 'svc chat --no-stream "hi"',
  },
  {
    title: 'Structured answers: JSON and JSON Schema',
    text: '`--schema FILE` makes the answer fit a JSON Schema; `--json-object` only asks for some JSON object. Both work in the formats chat and responses.',
    command: 'svc chat --schema person.json "Invent a person"',
  },
  {
    title: 'Tools and function calls',
    text: '`--tools FILE` offers functions to the model: a JSON array of definitions with a name and a schema of parameters. `--tool-choice` is auto, none, required, or the name of a tool. svc calls nothing itself: each call that the model asks for is printed as a line of JSON, and is in the output of `--json`.',
    command: 'svc chat --tools tools.json --json "What is the weather in Oslo?"',
  },
  {
    title: 'Reasoning and thinking',
    text: '`--reasoning-effort` sets how hard a model thinks (formats chat and responses), `--reasoning-summary` asks for a summary of it (responses), `--thinking-budget` gives tokens to think with (messages). Reasoning is shown dim on stderr; `--no-reasoning` hides it.',
    command: 'svc chat --reasoning-effort high "Is 1009 prime?"',
  },
  {
    title: 'Limiting the length of an answer',
    text: 'For a shorter answer, say so in the prompt; `--max-tokens` ends the answer after that many tokens, about four characters each. It also bounds what the answer can cost.',
    command: 'svc chat --max-tokens 100 "Tell me about Oslo"',
  },
  {
    title: 'Temperature and sampling',
    text: '`--temperature` goes from 0 to 2: lower is more predictable, higher more varied. `--top-p` samples from the likeliest share only.',
    command: 'svc chat --temperature 0 "Name a colour"',
  },
  {
    title: 'The three wire formats',
    text: 'A question can be sent as chat completions, messages or responses: `--format chat`, `--format messages`, `--format responses`. The answer looks the same; some options exist in some formats only, and svc says so before anything is sent.',
    command: 'svc chat --format messages "hi"',
  },
  {
    title: 'Choosing a model',
    text: 'Name the model with `-m`, or store the usual one in your profile; there is no other default, except `local/guide` with `--local`. Which one to use? Take the smallest model that does the work: try the same prompt on two and compare the answers and what they cost.',
    command: 'svc chat -m vendor/model "Sum up this idea in a line"',
  },
  {
    title: 'The default model',
    text: 'Store the model that `svc chat` uses when `-m` is not given.',
    command: 'svc config set model vendor/model',
  },
  {
    title: 'Listing models',
    text: '`svc models list` shows one id for each model; `--variants` adds every pinned variant, `--all` media models too. A model is named vendor/model; the short form without the vendor is the same model at the same price.',
    command: 'svc models list',
  },
  {
    title: 'One model and its variants',
    text: '`svc models show` tells what is known of one model, such as its prices. A suffix such as `:economy` pins the channel that serves it.',
    command: 'svc --local models show local/guide',
  },
  {
    title: 'Prices of a model, for input and output',
    text: 'Models are paid by the token, for input and for output. The price list of the service has every model, and `svc models show` tells what is known of one.',
    command: 'svc api GET /v1/pricing',
  },
  {
    title: 'Keeping costs down',
    text: 'Input and output are paid by the token, about four characters each, and thinking counts as output. So send less (only the lines that matter), ask for less (`--max-tokens`), let the model think less (`--reasoning-effort low`), and take a smaller model (`-m`).\n\nKnow before you pay: `--count-tokens` estimates the input, `--dry-run` shows the request and sends nothing, and `--local` tries a script out for play money. Afterwards the last line on the terminal tells what it cost; in scripts, `--json` has it under `cost`.',
    command: 'svc chat --max-tokens 300 --reasoning-effort low "Explain DNS"',
  },
  {
    title: 'Counting tokens before asking',
    text: '`--count-tokens` estimates the input tokens of a prompt instead of asking: about four characters each. It costs nothing.',
    command: 'svc chat --count-tokens < book.txt',
  },
  {
    title: 'What an answer cost',
    text: 'On a terminal the last dim line says tokens, price and balance. `--json` has the same under `cost`. Every paid reply has a usage record, named by the header x-svc-generation-id.',
    command: 'svc chat --json "hi" | jq .cost',
  },
  {
    title: 'The balance',
    text: 'The service is prepaid, in roubles (RUB). `svc balance` shows what is left of the money. A call that costs more than that is refused with status 402 and exit code 5, and nothing is charged.',
    command: 'svc balance',
  },
  {
    title: 'JSON output for scripts',
    text: '`--json` prints one object at the end: text, reasoning, tool calls, usage, cost and ids. A failure is then one JSON object on stderr, with its exit code, status, message and hint.',
    command: 'svc chat --json "hi" | jq .cost.priceRub',
  },
  {
    title: 'Events as they happen',
    text: '`--events` prints each event of the stream as a line of JSON (NDJSON) as it happens; `done` is always the last. It cannot be combined with `--json`.',
    command: 'svc chat --events "hi"',
  },
  {
    title: 'Calling any endpoint: svc api',
    text: '`svc api METHOD PATH` sends a request to any path of the service, with your key, and prints the answer as it comes. `-F` and `-f` give fields, for the query of a GET or the JSON body of the rest, `--input` sends a file as it stands, and `--paginate` goes through all pages.',
    command: "svc api GET /v1/generations --paginate | jq '.data[]'",
  },
  {
    title: 'In CI and shell scripts',
    text: 'Give the key as SVC_API_KEY and the address as SVC_BASE_URL. Off a terminal there is no prompt, no spinner and no colour; `--no-input` makes sure that nothing is ever asked. Decide by the exit code.',
    command:
      'SVC_API_KEY=… SVC_BASE_URL=https://api.example.com svc chat --no-input -m vendor/model "hi"',
  },
  {
    title: 'Exit codes',
    text: '0 done, 2 wrong usage, 3 refused by the service, 4 key trouble, 5 balance too low, 6 not reached (run it again), 7 rate limit, 10 outcome unknown, 11 local file trouble, 12 incomplete, 130 interrupted, 141 reader gone. After 2, 4, 5 and 6 nothing was charged.',
    command: 'svc help exit-codes',
  },
  {
    title: 'Exit code 10: the outcome is unknown',
    text: 'The request left your machine, and then the line dropped or the answer did not come. It may have been carried out and charged, so svc does not send it again by itself, and a script should not either. Look at the newest usage records first: a call that was charged has one.',
    command: 'svc api GET /v1/generations -F limit=5',
  },
  {
    title: 'When something fails: errors',
    text: 'An error is one sentence on stderr, followed by a hint that says what to do next and by the request id that support can look up. `-v`, or `--verbose`, shows each request with its secrets hidden. Exit code 1 is a bug in svc: SVC_DEBUG=1 shows the stack trace to report.',
    command: 'svc -v chat "hi"',
  },
  {
    title: 'The statuses 401, 402, 403, 404 and 429',
    text: '401: the key is missing or wrong (exit code 4). 402: the balance is too low (5). 403: the key may not be used from your address, which its allow-list in the web cabinet has to name (4). 404: there is no such thing, often a model that is not there (3). 429: too many calls in a short time, also after waiting as the service asked (7).',
    command: 'svc whoami',
  },
  {
    title: 'Timeouts: a call that timed out',
    text: 'Connecting may take 10 s, the first byte 60 s, a pause in the answer 60 s; a stream has no limit in all. `--timeout`, `--connect-timeout`, `--first-byte-timeout` and `--idle-timeout` change that, as in 30s or 5m.',
    command: 'svc chat --timeout 2m "hi"',
  },
  {
    title: 'Rate limits and retries',
    text: 'Calls that cannot be charged twice are tried up to three times, and a Retry-After is obeyed. A chat is never sent again once its bytes have left, unless the service refused it for its pace. A rate limit that outlasts the patience ends with exit code 7.',
    command: 'svc -v models list',
  },
  {
    title: 'Ctrl-C: stopping an answer',
    text: 'Ctrl-C ends svc at once with exit code 130; what has arrived of the answer stays on stdout. A stream that breaks off by itself keeps its text too and ends with exit code 12.',
    command: 'svc chat "Count to a thousand"',
  },
  {
    title: 'Seeing a request without sending it',
    text: 'A dry run, `--dry-run`, prints method, URL, headers and body as JSON and sends nothing; `--curl` prints the same as a curl command, with the key as $SVC_API_KEY.',
    command: 'svc chat --dry-run "hi"',
  },
  {
    title: 'Colours and quiet',
    text: 'NO_COLOR turns colours off, FORCE_COLOR on. `-q` leaves only warnings and errors on stderr.',
    command: 'svc -q chat "hi"',
  },
  {
    title: 'Completion in the shell (Tab)',
    text: '`svc completion` prints a script that completes commands, options and values with the Tab key in bash, zsh, fish and PowerShell. `svc completion --help` shows the line that installs it in each.',
    command: "echo 'source <(svc completion bash)' >> ~/.bashrc",
  },
  {
    title: 'Working offline: --local',
    text: 'With `--local` every command talks to the embedded service: no network, no account, real prices in play money. Its ledger is a file on your machine, so balance and usage go on from one command to the next. The account starts with 1000 RUB.',
    command: 'svc --local balance',
  },
  {
    title: 'The store of the embedded service, and how to reset it',
    text: "Its store is the file `local.sqlite` in svc's data folder, which `svc config path --json` names. Several commands may use it at once. To start afresh with a full balance, delete the file, or give another folder with SVC_CONFIG_DIR.",
    command: 'svc config path --json | jq -r .data',
  },
  {
    title: 'The local models',
    text: '`local/guide` answers questions about svc from this manual, `local/echo` sends your message back byte for byte, `local/script` answers from a file of rules. They do what a request asks for: max_tokens, tools, JSON Schema, reasoning, images.',
    command: 'echo "héllo 🌍" | svc --local chat -m local/echo',
  },
  {
    title: 'Scripted answers for test suites: local/script',
    text: 'A script is a JSON file of rules; the first that matches the last user message answers. Name it with SVC_LOCAL_SCRIPT or `svc serve --script FILE`:\n\n```json\n{\n  "rules": [\n    { "match": "weather", "toolCall": { "name": "weather", "arguments": { "city": "Oslo" } } },\n    { "match": { "regex": "^slow" }, "delayMs": 2000, "chunkSize": 1, "reply": "Done." },\n    { "times": 1, "error": { "status": 429, "retryAfter": 1 } },\n    { "reply": "Anything else." }\n  ]\n}\n```',
    command: 'SVC_LOCAL_SCRIPT=rules.json svc --local chat -m local/script "slow, please"',
  },
  {
    title: "The fields of a script's rules",
    text: 'A rule answers when `match` fits: a text that the message holds, or an object in which all that is given must hold: `text`, `contains`, `regex` with `flags`, `system`, `model`, `format`, `stream`, `last` (user or tool), `turn`. Without `match` it always does. `times` says how often it may answer.\n\nIt answers with `reply` (text, or JSON sent as text), `toolCall` or `toolCalls`, `reasoning`, or `error` (`status`, `code`, `message`, `retryAfter`). `delayMs` waits before the answer, `chunkDelayMs` and `chunkSize` pace a stream, and `cut` breaks it off: `drop` ends the connection, `end` leaves out the end marker.',
    command: 'svc serve --script rules.json',
  },
  {
    title: 'Running a local server: svc serve',
    text: '`svc serve` runs the embedded service on 127.0.0.1, so that any client of the service and the public SDKs can be tried and tested against it. `--port 0` picks a free port, `--memory` starts afresh each time.',
    command: 'svc serve --port 8787',
  },
  {
    title: 'Media jobs offline',
    text: 'The embedded service has models for pictures, videos, music, speech and 3D, which make real files: `svc --local models list --all` lists them. A job takes a few seconds, or as long as `svc serve --job-time 5s` says; `--image-deadline` is how long an image may take before its caller is told 504. Results are kept for 7 days. Addresses of sources are never fetched: upload the file, or send it inline.',
    command: 'svc --local generate local/canvas "a lighthouse" -o lighthouse.png',
  },
  {
    title: 'Trying failures of media jobs',
    text: 'A channel after the model’s name decides what goes wrong: `local/canvas:failing` fails at its end and gives the price back, `:uncertain` says at first that it may not have started, `:refusing` is not accepted (502), `:closed` is unavailable (503). With `sk-svc-local-sandbox` the header `x-svc-sandbox-outcome: submission_uncertain` simulates a submission that never starts.',
    command: 'svc --local generate local/canvas:failing "a lighthouse"',
  },
  {
    title: 'Notifications of media jobs',
    text: '`svc serve` posts to a job’s `webhook_url`, or to the account’s, when the job has ended, signed by the Standard Webhooks scheme with the secret that it shows at its start; a receiver that does not take it is tried again, up to ten times. Addresses must be https and public; `--allow-loopback-webhooks` allows this machine. The account’s address is set at `/api/webhooks` with the cookie `svc_session=local`.',
    command: 'svc serve --job-time 2s --allow-loopback-webhooks',
  },
  {
    title: 'Using the official SDKs with svc serve',
    text: 'Point the SDK at the address that `svc serve` prints and give it the key `sk-svc-local`: the `openai` package wants the address with `/v1`, `@anthropic-ai/sdk` without. Chat, streams, tools, JSON Schema and token counts work as they do against the service.',
    command: 'OPENAI_BASE_URL=http://127.0.0.1:8787/v1 OPENAI_API_KEY=sk-svc-local node app.mjs',
  },
  {
    title: 'Keys of the embedded service',
    text: '`sk-svc-local` works; `sk-svc-local-empty` has no money (402); `sk-svc-local-blocked` is not allowed from anywhere (403); `sk-svc-local-limited` is over its rate limit (429); any other key is refused (401). With them a client’s error handling can be tested.',
    command:
      'SVC_BASE_URL=http://127.0.0.1:8787 SVC_API_KEY=sk-svc-local-empty svc chat -m local/echo "hi"',
  },
  {
    title: 'The OpenAPI description',
    text: '`svc openapi` prints the machine-readable description of every endpoint, OpenAPI 3.0.3.',
    command: 'svc --local openapi > openapi.json',
  },
  {
    title: 'Settings and the config file',
    text: '`svc config list` shows the settings in force and where each comes from: a flag wins over the environment, the environment over the profile. `svc config path` tells where the file is. Nothing is read from the working folder.',
    command: 'svc config list',
  },
  {
    title: 'When the config file is broken',
    text: 'A config file that svc cannot read is never changed or wiped: the error names the file and the line. Correct it in an editor, or move it away and log in again. `--local` and help work meanwhile.',
    command: '$EDITOR "$(svc config path)"',
  },
  {
    title: 'Environment variables',
    text: 'SVC_API_KEY, SVC_BASE_URL and SVC_PROFILE stand for the key, the address and the profile; SVC_CONFIG_DIR moves the config file, NO_COLOR turns colours off, SVC_DEBUG shows stack traces.',
    command: 'svc help environment',
  },
  {
    title: 'Proxies and certificates',
    text: 'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are heeded, and NODE_EXTRA_CA_CERTS names further certificates to trust. Loopback addresses bypass the proxy. A key never travels over unencrypted http, except on this machine.',
    command: 'HTTPS_PROXY=http://proxy.example:3128 svc balance',
  },
  {
    title: 'svc chat: ask a model and read the answer as it arrives',
    text: 'Ask a language model. The answer streams to stdout; reasoning, tokens and price go to stderr. Piped text comes before the prompt; alone, it is the prompt.\n\nUsage: `svc chat [options] [prompt...]`\n\n- `-m, --model ID`: the model (see `svc models list`)\n- `-s, --system TEXT`: the system prompt\n- `-a, --attach FILE|URL|-`: an image or a text file to send along; may be repeated',
    command: 'svc --local chat "What can you do?"',
    isReference: true,
  },
  {
    title: 'svc chat, options: Model',
    text: '- `--format FORMAT`: the wire format; one of `chat`, `messages`, `responses`; default `chat`\n- `--max-tokens N`: at most this many tokens in the answer\n- `--temperature N`: from 0 to 2\n- `--top-p N`: sample from this share of the probability',
    command: 'svc chat --help',
    isReference: true,
  },
  {
    title: 'svc chat, options: Reasoning',
    text: '- `--reasoning-effort LEVEL`: how hard to think (chat, responses); one of `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`\n- `--reasoning-summary KIND`: summarise the reasoning (responses); one of `auto`, `concise`, `detailed`\n- `--thinking-budget N`: tokens to think with (messages)\n- `--no-reasoning`: do not show reasoning',
    command: 'svc chat --help',
    isReference: true,
  },
  {
    title: 'svc chat, options: Tools and shape',
    text: '- `--tools FILE`: tool definitions, a JSON array\n- `--tool-choice CHOICE`: auto, none, required, or a tool by name\n- `--json-object`: the answer must be a JSON object (chat, responses)\n- `--schema FILE`: the answer must fit this JSON Schema (chat, responses)',
    command: 'svc chat --help',
    isReference: true,
  },
  {
    title: 'svc chat, options: Output',
    text: '- `--no-stream`: wait for the whole answer\n- `--count-tokens`: estimate the input tokens instead of asking\n- `-o, --output FILE`: write the answer to a new file; - is stdout\n- `--force`: replace the file of -o\n- `-x, --extract`: print only the first fenced code block\n- `--events`: print each event as a line of JSON; `done` comes last',
    command: 'svc chat --help',
    isReference: true,
  },
  {
    title: 'svc models list: list the models',
    text: 'List the models.\n\nUsage: `svc models list [options]`\n\n- `--type TYPE`: only models of this type, such as image\n- `--all`: media models too\n- `--variants`: every pinned variant of each model',
    command: 'svc models list',
    isReference: true,
  },
  {
    title: 'svc models show: show what is known of one model',
    text: 'Show what is known of one model.\n\nUsage: `svc models show <id>`',
    command: 'svc --local models show local/guide',
    isReference: true,
  },
  {
    title: 'svc generate: make images, video, audio, music or 3D',
    text: 'Make media with a job: its price is asked for first, and is what the job costs at most. `svc generate MODEL --help` lists the options of that model. Piped text comes before the prompt.\n\nUsage: `svc generate [options] <model> [prompt...]`',
    command: 'svc --local generate local/canvas "a lighthouse" -o lighthouse.png',
    isReference: true,
  },
  {
    title: 'svc generate, options: Request',
    text: '- `--opt NAME=VALUE`: an option of the model; @FILE is the content of a file; may be repeated\n- `--opts FILE`: options of the model, a JSON object; --opt wins over it\n- `--input [NAME=]FILE|URL|-`: a source; NAME says which option it fills; may be repeated\n- `--inline`: send local sources within the request instead of uploading them\n- `--strict`: refuse what would not run exactly as written\n- `--webhook-url URL`: a public https URL that is told when the job ends\n- `--idempotency-key KEY`: the same key gives the same job, never a second one\n- `--sandbox-outcome OUTCOME`: simulate this, with a sandbox key; one of `submission_uncertain`\n- `--refresh`: ask anew what the model takes, instead of once an hour',
    command: 'svc generate --help',
    isReference: true,
  },
  {
    title: 'svc generate, options: Money',
    text: '- `--quote`: tell the price and make nothing\n- `--max-price RUB`: the most that the job may cost; the quoted price unless given',
    command: 'svc generate --help',
    isReference: true,
  },
  {
    title: 'svc generate, options: Result',
    text: "- `--no-wait`: print the id of the job at once; it goes on by itself\n- `-o, --output FILE|DIR/|-`: where results go; may hold {model}, {job}, {index}, {ext}; - is stdout\n- `--force`: replace the file of -o\n- `--open`: show the first result with the system's viewer",
    command: 'svc generate --help',
    isReference: true,
  },
  {
    title: 'svc jobs list: list media jobs',
    text: 'List the media jobs that were made from here. What is unfinished is asked for anew, and what was cut off before its id was known is finished with the same key: no job is made twice.\n\nUsage: `svc jobs list [options]`\n\n- `--all`: also old and refused ones, and those of other accounts',
    command: 'svc jobs list',
    isReference: true,
  },
  {
    title: 'svc jobs show: show one media job',
    text: 'Show one media job.\n\nUsage: `svc jobs show <id>`',
    command: 'svc jobs show job_0123456789',
    isReference: true,
  },
  {
    title: 'svc jobs wait: wait until media jobs have ended',
    text: 'Wait until media jobs have ended. The exit code is 0 when all of them succeeded, 9 when the only one failed, 12 when some of several did, 8 when the time is over (--timeout, 30m).\n\nUsage: `svc jobs wait [options] [id...]`\n\n- `--all`: wait for all that are under way',
    command: 'svc jobs wait --all && svc jobs download --all',
    isReference: true,
  },
  {
    title: 'svc jobs download: fetch the results of media jobs',
    text: 'Fetch the results of media jobs. What is there already, whole, is not fetched again. Results are kept for 7 days.\n\nUsage: `svc jobs download [options] [id...]`\n\n- `--all`: fetch all that has not been fetched yet\n- `-o, --output FILE|DIR/|-`: where results go; may hold {model}, {job}, {index}, {ext}; - is stdout\n- `--force`: replace the file of -o',
    command: 'svc jobs download --all -o results/',
    isReference: true,
  },
  {
    title: 'svc jobs extend: extend a finished video as a new job',
    text: 'Extend a finished video. The price is told first; nothing stands in for an idempotency key here, so svc sends it once.\n\nUsage: `svc jobs extend [options] <id> [prompt...]`\n\n- `--tier TIER`: how well it is made; one of `lite`, `fast`, `quality`\n- `--seeds N`: where chance begins\n- `--watermark TEXT`: a text to put on it',
    command: 'svc jobs extend job_0123456789 "it begins to rain" --tier fast --quote',
    isReference: true,
  },
  {
    title: 'svc jobs extend, options: Money',
    text: '- `--quote`: tell the price and make nothing\n- `--max-price RUB`: the most that it may cost',
    command: 'svc jobs extend --help',
    isReference: true,
  },
  {
    title: 'svc jobs extend, options: Result',
    text: "- `--no-wait`: print the id of the job at once; it goes on by itself\n- `-o, --output FILE|DIR/|-`: where the result goes; - is stdout\n- `--force`: replace the file of -o\n- `--open`: show the result with the system's viewer",
    command: 'svc jobs extend --help',
    isReference: true,
  },
  {
    title: 'svc image create: make an image and wait for it',
    text: "Make an image in one call. When its answer does not come, svc finds the job by its id or in the list, and never asks for the image again.\n\nUsage: `svc image create [options] [prompt...]`\n\n- `-m, --model ID`: the image model (see `svc models list --type image`)\n- `--size WxH`: such as 1024x1024 or 1792x1024, or auto; its ratio counts\n- `--quality WORD`: what the model offers, or auto\n- `--response-format FORMAT`: how the image travels; one of `url`, `b64_json`; default `url`\n- `-o, --output FILE|DIR/|-`: where the image goes; may hold {model}, {job}, {index}, {ext}; - is stdout\n- `--force`: replace the file of -o\n- `--open`: show the image with the system's viewer",
    command: 'svc --local image create "a lighthouse" -o lighthouse.png',
    isReference: true,
  },
  {
    title: "svc image list: list the key's image jobs, newest first",
    text: 'List the image jobs of your key as the service knows them, newest first: where to look for an image whose answer got lost.\n\nUsage: `svc image list [options]`\n\n- `--limit N`: how many; default `20`',
    command: 'svc image list --limit 5',
    isReference: true,
  },
  {
    title: 'svc files upload: upload a file and print its id',
    text: 'Upload a source file for media jobs and print its id, to be used as in `--opt image_file_id=ID`. `svc generate --input FILE` does both.\n\nUsage: `svc files upload [options] <file>`\n\n- `--name NAME`: what to call it',
    command: 'id=$(svc files upload photo.jpg)',
    isReference: true,
  },
  {
    title: 'svc balance: show the prepaid balance',
    text: 'Show the prepaid balance.\n\nUsage: `svc balance`',
    command: 'svc balance',
    isReference: true,
  },
  {
    title: 'svc usage list: list what was charged, newest first',
    text: 'List what was charged, newest first.\n\nUsage: `svc usage list [options]`\n\n- `--page N`: which page; default `1`\n- `--limit N`: records a page; default `20`',
    command: 'svc usage list --limit 5',
    isReference: true,
  },
  {
    title: 'svc usage show: show one usage record',
    text: 'Show one usage record.\n\nUsage: `svc usage show <id>`',
    command: 'svc usage show --help',
    isReference: true,
  },
  {
    title: 'svc login: store a base URL and a key',
    text: 'Asks where the service is and for a key, proves the key with a call, and stores both in a profile. The key is typed unseen or read from standard input, never given as an argument.\n\nUsage: `svc login [options]`\n\n- `--with-key`: read the key from standard input\n- `--no-verify`: store the key without proving it',
    command: 'svc login',
    isReference: true,
  },
  {
    title: 'svc logout: remove the stored key',
    text: 'Removes the key of the profile and keeps its other settings.\n\nUsage: `svc logout [options]`\n\n- `--all`: remove the keys of all profiles',
    command: 'svc logout',
    isReference: true,
  },
  {
    title: 'svc whoami: show the profile and key in use, and prove them',
    text: 'Show the profile and key in use, and prove them.\n\nUsage: `svc whoami`',
    command: 'svc whoami',
    isReference: true,
  },
  {
    title: 'svc config list: show the settings in force and where each comes from',
    text: 'Show the settings in force and where each comes from.\n\nUsage: `svc config list`',
    command: 'svc config list',
    isReference: true,
  },
  {
    title: 'svc config get: print one setting in force',
    text: 'Prints one of: profile, key, base_url, brand, model, connect_timeout, first_byte_timeout, idle_timeout, low_balance.\n\nUsage: `svc config get [options] <name>`\n\n- `--reveal`: print the key whole',
    command: 'svc config get base_url',
    isReference: true,
  },
  {
    title: 'svc config set: store a setting in the profile',
    text: 'Stores one of: base_url, brand, model, connect_timeout, first_byte_timeout, idle_timeout, low_balance. A key is stored by svc login.\n\nUsage: `svc config set <name> <value>`',
    command: 'svc config set model vendor/model',
    isReference: true,
  },
  {
    title: 'svc config unset: remove a setting from the profile',
    text: 'A profile that holds nothing more is removed.\n\nUsage: `svc config unset <name>`',
    command: 'svc config unset model',
    isReference: true,
  },
  {
    title: 'svc config profiles: list the profiles',
    text: 'List the profiles.\n\nUsage: `svc config profiles`',
    command: 'svc config profiles --help',
    isReference: true,
  },
  {
    title: 'svc config use: make a profile the usual one',
    text: 'Make a profile the usual one.\n\nUsage: `svc config use <profile>`',
    command: 'svc config use work',
    isReference: true,
  },
  {
    title: 'svc config path: print where the config file is',
    text: 'Print where the config file is.\n\nUsage: `svc config path`',
    command: '$EDITOR "$(svc config path)"',
    isReference: true,
  },
  {
    title: 'svc serve: run the embedded service over HTTP on loopback',
    text: "Run the embedded service over HTTP, for this machine alone. The address goes to stdout; any client of the service, and the public SDKs, can use it.\n\nUsage: `svc serve [options]`\n\n- `--port N`: the port; 0 picks a free one; default `8787`\n- `--host HOST`: a loopback address; default `127.0.0.1`\n- `--script FILE`: what local/script answers from (SVC_LOCAL_SCRIPT)\n- `--job-time TIME`: how long every media job takes, in place of each model's own time\n- `--image-deadline TIME`: how long an image may take before its caller is told 504; default `60s`\n- `--allow-loopback-webhooks`: send notifications to addresses on this machine as well, by http too\n- `--memory`: keep the ledger in memory, and start afresh each time",
    command: 'svc serve --port 8787',
    isReference: true,
  },
  {
    title: 'svc api: send a request to any path of the service',
    text: 'Send a request to any path of the service and print the answer as it comes. Fields are the query of GET and HEAD and the JSON body of other methods. a[b]=1 nests, a[]=1 makes a list.\n\nUsage: `svc api [options] <method> <path>`',
    command: 'svc api GET /v1/models',
    isReference: true,
  },
  {
    title: 'svc api, options: Request',
    text: "- `-F, --field KEY=VALUE`: true, false, null, a number, @FILE, @- or text; may be repeated\n- `-f, --raw-field KEY=TEXT`: a field whose value is text as it stands; may be repeated\n- `--input FILE|-`: send this as the body; fields then go to the query\n- `-H, --header 'NAME: VALUE'`: a further header; may be repeated",
    command: 'svc api --help',
    isReference: true,
  },
  {
    title: 'svc api, options: Answer',
    text: '- `-i, --include`: print the status and the headers before the body\n- `--paginate`: print each page in turn until there is none\n- `--slurp`: with --paginate: print one JSON array of the pages',
    command: 'svc api --help',
    isReference: true,
  },
  {
    title: "svc openapi: print the service's OpenAPI description",
    text: "Print the service's OpenAPI description.\n\nUsage: `svc openapi`",
    command: 'svc --local openapi > openapi.json',
    isReference: true,
  },
  {
    title: 'svc completion: print the script that completes svc in a shell',
    text: 'Print the script that makes a shell complete the commands, options and values of svc. The lines below install it; a new shell has it.\n\nUsage: `svc completion <shell>`',
    command: "echo 'source <(svc completion bash)' >> ~/.bashrc",
    isReference: true,
  },
];
