/** The manual that local/guide quotes, passage by passage. */

import { chatPassages } from './manual-chat.js';
import type { Passage } from './passage.js';

export const passages: readonly Passage[] = [
  {
    title: 'What svc can do',
    text:
      'svc is the command line of a prepaid service for language models. It asks models and streams ' +
      'their answers (`svc chat`), lists models and their prices (`svc models`), shows the balance ' +
      '(`svc balance`), and runs the whole service offline (`--local`, `svc serve`). `svc --help` ' +
      'lists every command; `svc COMMAND --help` explains one, with examples.',
    command: 'svc --help',
  },
  {
    title: 'Getting started',
    text:
      'Without an account, put `--local` after `svc`: the embedded service answers on your own ' +
      'machine. With an account, run `svc login` once; it asks for the base URL and the key, proves ' +
      'the key with a call, and stores both.',
    command: 'svc --local chat "What can you do?"',
  },
  ...chatPassages,
  {
    title: 'What an answer cost',
    text:
      'On a terminal the last dim line says tokens, price and balance. `--json` has the same under ' +
      '`cost`. Every paid reply has a usage record, named by the header x-svc-generation-id.',
    command: 'svc chat --json "hi" | jq .cost',
  },
  {
    title: 'The balance',
    text:
      'The service is prepaid, in roubles (RUB). `svc balance` shows what is left of the money. A ' +
      'call that costs more than that is refused with status 402 and exit code 5, and nothing is ' +
      'charged.',
    command: 'svc balance',
  },
  {
    title: 'A warning when money runs low',
    text: 'Set `low_balance`, and commands warn once the balance falls below that many roubles.',
    command: 'svc config set low_balance 100',
  },
  {
    title: 'Listing models',
    text:
      '`svc models list` shows one id for each model; `--variants` adds every pinned variant, ' +
      '`--all` media models too. A model is named vendor/model; the short form without the vendor ' +
      'is the same model at the same price.',
    command: 'svc models list',
  },
  {
    title: 'One model and its variants',
    text:
      '`svc models show` tells what is known of one model. A suffix such as `:economy` pins the ' +
      'channel that serves it.',
    command: 'svc models show local/guide',
  },
  {
    title: 'The default model',
    text: 'Store the model that `svc chat` uses when `-m` is not given.',
    command: 'svc config set model vendor/model',
  },
  {
    title: 'Logging in and storing a key',
    text:
      '`svc login` asks for the base URL and the API key, which is typed unseen, proves it and ' +
      'stores it, readable by you alone. `--with-key` reads the key from standard input. A key is ' +
      'never given as an argument: others could see it.',
    command: 'svc login',
  },
  {
    title: 'Logging out',
    text: '`svc logout` removes the stored key of the profile; `--all` removes those of all.',
    command: 'svc logout',
  },
  {
    title: 'Which key and account is in use',
    text:
      '`svc whoami` shows the profile, the base URL and the key in use, where each comes from, and ' +
      'whether the service takes the key.',
    command: 'svc whoami',
  },
  {
    title: 'Profiles: several accounts',
    text:
      'A profile is a base URL, a key and settings under a name. Log in with `--profile NAME` to ' +
      'make one, use it with `--profile NAME` or SVC_PROFILE, or make it the usual one.',
    command: 'svc login --profile work && svc config use work',
  },
  {
    title: 'Settings and the config file',
    text:
      '`svc config list` shows the settings in force and where each comes from: a flag wins over ' +
      'the environment, the environment over the profile. `svc config path` tells where the file is. ' +
      'Nothing is read from the working folder.',
    command: 'svc config list',
  },
  {
    title: 'Environment variables',
    text:
      'SVC_API_KEY, SVC_BASE_URL and SVC_PROFILE stand for the key, the address and the profile; ' +
      'SVC_CONFIG_DIR moves the config file, NO_COLOR turns colours off, SVC_DEBUG shows stack ' +
      'traces.',
    command: 'svc help environment',
  },
  {
    title: 'In CI and shell scripts',
    text:
      'Give the key as SVC_API_KEY and the address as SVC_BASE_URL. Off a terminal there is no ' +
      'prompt, no spinner and no colour; `--no-input` makes sure that nothing is ever asked. Decide ' +
      'by the exit code.',
    command: 'SVC_API_KEY=… SVC_BASE_URL=https://api.example.com svc chat --no-input "hi"',
  },
  {
    title: 'Exit codes',
    text:
      '0 done, 2 wrong usage, 3 refused by the service, 4 key trouble, 5 balance too low, 6 not ' +
      'reached (run it again), 7 rate limit, 10 outcome unknown, 11 local file trouble, 12 ' +
      'incomplete, 130 interrupted, 141 reader gone.',
    command: 'svc help exit-codes',
  },
  {
    title: 'When something fails: errors',
    text:
      'An error is one sentence on stderr, followed by a hint that says what to do next and by the ' +
      'request id that support can look up. `-v` shows each request with its secrets hidden.',
    command: 'svc -v chat "hi"',
  },
  {
    title: 'Timeouts',
    text:
      'Connecting may take 10 s, the first byte 60 s, a pause in the answer 60 s; a stream has no ' +
      'limit in all. `--timeout`, `--connect-timeout`, `--first-byte-timeout` and `--idle-timeout` ' +
      'change that, as in 30s or 5m.',
    command: 'svc chat --timeout 2m "hi"',
  },
  {
    title: 'Rate limits and retries',
    text:
      'Calls that cannot be charged twice are tried up to three times, and a Retry-After is obeyed. ' +
      'A chat is never sent again once its bytes have left. A rate limit that outlasts the patience ' +
      'ends with exit code 7.',
  },
  {
    title: 'Seeing a request without sending it',
    text:
      '`--dry-run` prints method, URL, headers and body as JSON and sends nothing; `--curl` prints ' +
      'the same as a curl command, with the key as $SVC_API_KEY.',
    command: 'svc chat --curl "hi"',
  },
  {
    title: 'Working offline: --local',
    text:
      'With `--local` every command talks to the embedded service: no network, no account, real ' +
      'prices in play money. Its ledger is a file on your machine, so balance and usage go on from ' +
      'one command to the next. The account starts with 1000 RUB.',
    command: 'svc --local balance',
  },
  {
    title: 'Running a local server: svc serve',
    text:
      '`svc serve` runs the embedded service on 127.0.0.1, so that any client of the service and ' +
      'the public SDKs can be tried and tested against it. `--port 0` picks a free port, `--memory` ' +
      'starts afresh each time.',
    command: 'svc serve --port 8787',
  },
  {
    title: 'Keys of the embedded service',
    text:
      '`sk-svc-local` works; `sk-svc-local-empty` has no money (402); `sk-svc-local-blocked` is not ' +
      'allowed from anywhere (403); `sk-svc-local-limited` is over its rate limit (429); any other ' +
      'key is refused (401). With them a client’s error handling can be tested.',
    command: 'SVC_BASE_URL=http://127.0.0.1:8787 SVC_API_KEY=sk-svc-local-empty svc chat "hi"',
  },
  {
    title: 'The local models',
    text:
      '`local/guide` answers questions about svc from this manual, `local/echo` sends your message ' +
      'back byte for byte, `local/script` answers from a file of rules. They do what a request asks ' +
      'for: max_tokens, tools, JSON Schema, reasoning, images.',
    command: 'echo "héllo 🌍" | svc --local chat -m local/echo',
  },
  {
    title: 'Scripted answers for test suites: local/script',
    text:
      'A script is a JSON file of rules; the first that matches answers with a text, tool calls, an ' +
      'error, a delay or a stream that breaks off. Name it with SVC_LOCAL_SCRIPT or ' +
      '`svc serve --script FILE`:\n\n' +
      '    {"rules": [\n' +
      '      {"match": "weather", "toolCall": {"name": "weather", "arguments": {"city": "Oslo"}}},\n' +
      '      {"match": {"regex": "^slow"}, "delayMs": 2000, "chunkSize": 1, "reply": "Done."},\n' +
      '      {"times": 1, "error": {"status": 429, "retryAfter": 1}},\n' +
      '      {"reply": "Anything else."}\n' +
      '    ]}',
    command: 'svc serve --script rules.json',
  },
  {
    title: 'The OpenAPI description',
    text: '`svc openapi` prints the machine-readable description of every endpoint, OpenAPI 3.0.3.',
    command: 'svc --local openapi > openapi.json',
  },
  {
    title: 'Completion in the shell (Tab)',
    text:
      '`svc completion` prints a script that completes commands, options and values with the Tab ' +
      'key in bash, zsh, fish and PowerShell.',
    command: "echo 'source <(svc completion bash)' >> ~/.bashrc",
  },
  {
    title: 'Proxies and certificates',
    text:
      'HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are heeded, and NODE_EXTRA_CA_CERTS names ' +
      'further certificates to trust. Loopback addresses bypass the proxy. A key never travels over ' +
      'unencrypted http, except on this machine.',
    command: 'HTTPS_PROXY=http://proxy.example:3128 svc balance',
  },
  {
    title: 'Colours and quiet',
    text: 'NO_COLOR turns colours off, FORCE_COLOR on. `-q` leaves only warnings and errors on stderr.',
    command: 'svc -q chat "hi"',
  },
  {
    title: 'Ctrl-C: stopping an answer',
    text:
      'Ctrl-C ends svc at once with exit code 130; what has arrived of the answer stays on stdout. A ' +
      'stream that breaks off by itself keeps its text too and ends with exit code 12.',
  },
];
