/** What is played: one row for each screen, in the order in which a person meets them. */
import type { Scene } from './play.js';

const ctrlC = '\u0003';
const local = (line: string) => `svc --local ${line}`;
const write = (name: string, text: string) => `printf '%s' '${text}' > ${name}`;
const screen = (...lines: string[]): Scene => ({ lines });

/** The address, the key, and the cheapest model for each kind that is asked for. */
export const typedAtLogin: Scene['typed'] = [
  [/\?\S* \S*Base URL/, 'URL\r'],
  [/\?\S* \S*Key/, 'sk-svc-local\r'],
  [/for chat[^]*❯/, '\r'],
  [/for video[^]*❯/, '\r'],
];

const faq = ['My parcel is late.', 'How do I pay?', 'Where is my order?', 'The lid is broken.']
  .map((line) => `${line}\n`)
  .join('');

/** The rest of it comes a minute later. */
const story = {
  reply: 'Once upon a time there was a lighthouse that nobody had ever seen go dark.',
  chunkSize: 52,
  chunkDelayMs: 60_000,
};

/** An answer with every kind of block. */
const letter = `# Three lighthouses

Each has a **keeper**, and *one* has a cat; see [the chart](https://example.com/chart).

1. Climb the stairs
   - slowly
   - with a \`lamp\`
2. Look at the sea, which on a clear evening is visible for more than twenty kilometres

> Nobody had ever seen it go dark.

| Name | Height | Since |
| :--- | ---: | --- |
| Eddystone | 49 m | 1882 |
| 伊良湖岬灯台 | 15 m | 1929 |

\`\`\`js
const height = (metres) => \`\${metres} m\`; // a comment
\`\`\`
`;

/** By the name of the file in docs/screens/. */
export const scenes: Readonly<Record<string, Scene>> = {
  help: screen('svc'),
  'help-all': screen('svc help --all'),
  'help-command': screen('svc chat --help'),
  'help-command-all': screen('svc help chat --all'),
  'help-group': screen('svc jobs --help'),
  'help-model': screen(local('generate local/canvas --help')),
  'help-options': screen('svc help options'),
  'help-exit-codes': screen('svc help exit-codes'),
  'help-environment': screen('svc help environment'),
  'no-key': { lines: ['svc chat "Why is the sky blue?"'], isNew: true },
  login: {
    lines: ['svc login'],
    typed: typedAtLogin,
    isNew: true,
    server: true,
  },
  init: {
    lines: [local('init')],
    typed: [[/Enter skips/, 'What can you do?\r']],
    isNew: true,
  },
  'choose-model': {
    lines: [local('chat "What can you do?" -m')],
    typed: [[/Which model[^]*❯/, ctrlC]],
  },
  accessible: {
    lines: [local('chat "What can you do?" -m')],
    env: { ACCESSIBLE: '1' },
    typed: [[/Number/, '1\n']],
  },
  'unknown-command': screen('svc chta hello'),
  'unknown-option': screen(
    'svc chat --modle local/guide hello',
    'svc chat --max-tokens many hello',
  ),
  'unknown-model': screen(local('chat -m local/gide hello'), local('generate local/canvass cat')),
  'not-reached': {
    lines: ['svc --base-url http://127.0.0.1:9 balance'],
    env: { SVC_API_KEY: 'sk-svc-0123456789' },
  },
  chat: screen(local('chat "How do I keep costs down?"')),
  'chat-image': screen(local('chat -a boat.png "What is this?"')),
  'chat-pipe': screen(`cat faq.txt | ${local('chat -m local/echo')} | wc -l`),
  'chat-json': screen(local('chat --json -m local/echo hello')),
  'chat-interrupted': {
    lines: [local('chat -m local/script "Tell me a story"')],
    typed: [[/Once upon/, ctrlC]],
    env: { SVC_LOCAL_SCRIPT: 'story.json' },
  },
  'chat-session': {
    lines: [local('chat -i -m local/echo')],
    typed: [
      [/> /, 'How are you?\r'],
      [/balance/, '/se\t'],
      [/search/, '\u0015/model local/script\r'],
      [/model: /, 'Tell me\\\ra story\r'],
      [/Once upon/, ctrlC],
      [/balance/, '/cost\r'],
      [/session/, '\u0004'],
    ],
    env: { SVC_LOCAL_SCRIPT: 'story.json' },
  },
  'chat-continue': {
    lines: [
      `${local('chat -m local/script "Tell me about lighthouses" -q > a.md')}; ${local('chat -i -c')}`,
    ],
    typed: [
      // The prompt is coloured, the loaded question is not.
      [/\[36m> /, '/help\r'],
      [/clears[^]*\[36m> /, '\u0012light'],
      [/search\) light/, '\u0007\u0004'],
    ],
    env: { SVC_LOCAL_SCRIPT: 'letter.json' },
  },
  'chat-markdown': {
    lines: [local('chat -m local/script "Tell me about lighthouses"')],
    env: { SVC_LOCAL_SCRIPT: 'letter.json' },
  },
  'chat-models': screen(local('chat -m local/guide -m local/echo "Which models are there?"')),
  'chat-template': screen(
    local('chat -m local/echo -s "Be brief." --save short "Shorten: {input}"'),
    local('chat -t short "A long story."'),
    'svc templates list',
  ),
  logs: screen(local('logs'), local('logs costs --sum'), local('chat -c -m local/echo "And why?"')),
  'logs-show': screen(local('logs show 1')),
  budget: {
    lines: [
      local('chat -m local/echo --max-tokens 50 hello'),
      local('chat --max-cost 0.01 "What can you do?"'),
      'svc budget set month 100',
      local('budget'),
    ],
    env: { SVC_BUDGET: '1' },
  },
  batch: screen(
    write('questions.txt', 'What is a batch?\nWhat is a shard?\n'),
    local('batch run questions.txt -m local/guide --ordered'),
    local('batch run questions.txt -m local/guide -o answers.jsonl --max-cost 1 --estimate'),
    local('batch run questions.txt -m local/guide -o answers.jsonl'),
    'svc batch report answers.jsonl',
  ),
  'image-quote': screen(local('image create --quote "a lighthouse at dusk"')),
  do: screen(local('do "find the largest files"')),
  'dry-run': screen(local('chat --dry-run -m local/guide hello')),
  curl: screen(local('chat --curl -m local/guide hello')),
  'models-list': screen(local('models list --all')),
  'models-show': screen(local('models show local/guide')),
  'models-capabilities': screen(local('models capabilities local/canvas')),
  'models-media': screen(local('models media')),
  generate: screen(local('generate local/canvas "a lighthouse at dusk" -o lighthouse.png')),
  'generate-quote': screen(local('generate local/reel "a walk by the sea" --quote')),
  'generate-failed': screen(local('generate local/canvas:failing "a lighthouse at dusk"')),
  'generate-interrupted': {
    lines: [local('generate local/reel "a walk by the sea"')],
    typed: [[/running/, ctrlC]],
  },
  'jobs-list': screen(local('jobs list')),
  'jobs-show': screen(local('jobs show $(cat boat.id)'), local('jobs show $(cat failed.id)')),
  'jobs-wait': screen(local('jobs wait --all')),
  'image-create': screen(local('image create "a storm" -o storm.png')),
  speak: screen(local('speak "Dinner is ready." -o dinner.wav'), local('transcribe dinner.wav')),
  'voices-list': screen(local('voices list')),
  'embed-similar': screen(local('embed --similar "late delivery" -f faq.txt -n 3')),
  decide: screen(
    local(`decide --state 'My card was charged' --yes-no money='Is it late?' --exit-on money=yes`),
  ),
  search: screen(local('search -n 3 "exit codes"')),
  balance: screen(local('balance'), local('whoami')),
  'usage-list': screen(local('usage list --limit 8')),
  'usage-pipe': screen(local('usage list --limit 3 --header | cat')),
  'usage-chart': screen(local('usage chart --since 14d')),
  'usage-keys': screen(local('usage keys')),
  keys: screen(local('keys list'), local('keys show')),
  config: screen('svc config list', 'svc config profiles'),
  'tickets-list': screen(local('tickets list')),
  'tickets-show': screen(local('tickets show $(cat ticket.id)')),
  doctor: { lines: [local('doctor'), 'svc doctor'], isNew: true },
  completion: screen('svc completion --help'),
  colours: {
    lines: [
      local('chat "What can you do?"'),
      'svc --help chat',
      'svc chta hello',
      local('jobs list'),
    ],
    withStyles: true,
  },
  serve: {
    lines: ['svc serve --port 0'],
    beside: [
      /(http:\/\/127\.0\.0\.1:\d+)/,
      'export SVC_BASE_URL=$FOUND SVC_API_KEY=sk-svc-local; svc balance; ' +
        // The last line of the log comes after the answer.
        'svc chat -m local/echo hello; svc generate local/canvass "a cat"; sleep 1',
    ],
  },
};

/** What Ada did before, and when. */
export const history: readonly (readonly [now: string, line: string])[] = [
  ['2026-02-20T10:00:00Z', write('faq.txt', faq)],
  [
    '2026-02-20T10:01:00Z',
    `cat > letter.json <<'END'\n${JSON.stringify({ rules: [{ reply: letter }] })}\nEND`,
  ],
  ['2026-02-20T10:01:00Z', write('story.json', JSON.stringify({ rules: [story] }))],
  [
    '2026-02-20T10:02:00Z',
    'echo sk-svc-0123456789 | svc login --with-key --no-verify --base-url https://api.example.com',
  ],
  [
    '2026-02-20T10:03:00Z',
    'echo sk-svc-9876543210 | ' +
      'svc login --with-key --no-verify --base-url https://api.example.com --profile work',
  ],
  ['2026-02-20T10:04:00Z', 'svc config set model vendor/model'],
  [
    '2026-02-20T10:12:00Z',
    local('speak "The quick brown fox jumps over the lazy dog." -o anna.wav'),
  ],
  ['2026-02-20T10:14:00Z', local('voices create Anna anna.wav --consent')],
  ['2026-03-01T18:30:00Z', local('generate local/canvas "a paper boat on a canal" --no-wait')],
  ['2026-03-03T08:01:00Z', local('chat "How do I keep costs down?"')],
  ['2026-03-10T08:01:00Z', local('chat "Which models are there?"')],
  [
    '2026-03-11T14:40:00Z',
    local(
      'tickets create --subject "Answers stop early" --category api_error ' +
        '--message "Long answers stop in the middle of a sentence." > ticket.id',
    ),
  ],
  [
    '2026-03-12T17:45:00Z',
    local(
      'generate local/canvas "a paper boat on a quiet canal in the evening, painted in oil, ' +
        'with warm windows reflected in the water" --no-wait > boat.id',
    ),
  ],
  ['2026-03-12T17:46:00Z', local('jobs download $(cat boat.id) -o boat.png')],
  [
    '2026-03-13T07:30:00Z',
    local('generate local/canvas:failing "a lighthouse" --no-wait > failed.id'),
  ],
  [
    '2026-03-13T15:05:00Z',
    local(
      'tickets create --subject "Please add an invoice for February, made out to the company" ' +
        '--category billing --message "We need it for the tax office."',
    ),
  ],
  ['2026-03-14T09:05:00Z', local('generate local/reel "a walk by the sea" --no-wait')],
  ['2026-03-14T09:26:50Z', local('generate local/reel "a walk in the rain" --no-wait')],
];
