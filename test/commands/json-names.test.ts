/** The JSON of every command: svc's own names are those of the manual, all others the service's. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandsIn } from '../../src/cli/map.js';
import { entries } from '../../src/commands/index.js';
import { resultOf } from '../../src/commands/results.js';
import { isRecord, parsedJson } from '../../src/lib/json.js';
import { pages } from '../docs/pages.js';
import { png } from '../helpers/fake-media.js';
import { testFolder } from '../helpers/folder.js';
import { frontKey } from '../helpers/front.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { run, words } from '../helpers/run.js';
import { startPeer } from '../service/sdk/peer.js';
import { wav } from './voices/scene.js';

/** What prints no JSON that svc has made, and what it prints. */
const others: Readonly<Record<string, string>> = {
  api: 'a reply as it came',
  'batch make': 'requests, line by line',
  'batch merge': 'answers, line by line',
  'batch plan': 'a script or a manifest',
  completion: 'a script',
  init: 'questions to a person',
  'jobs resume': 'what generate prints, after an interruption',
  'logs export': 'the messages of a request',
  mcp: 'messages of MCP',
  proxy: 'the address, until it is stopped',
  serve: 'the address, until it is stopped',
  'shell-init': 'a script',
};

/** In an order in which each finds what those before it made; `job_ID` stands for the last such id. */
const lines = `
login --with-key
whoami
config set model local/echo
config get model
config list
config unset model
config profiles
config use default
config path
doctor
update
version
version --verify --sums HOME/SHA256SUMS
alias set spent "usage chart"
alias list
alias delete spent
skills add --target HOME
chat -m local/echo hi
chat -m local/echo -m local/guide hi
chat -m local/echo --search cats -c hi
chat -m local/echo --schema HOME/schema.json hi
chat -m local/echo --format messages --count-tokens hi
chat -m local/echo --save one hi
templates list
templates show one
templates edit one
templates delete one --yes
logs list
logs list --sum
logs show 1
logs show c1
logs branch 1 tea
logs rename tea milk
logs conversations
logs delete 1 --yes
search cats
embed -m local/embed one
embed -m local/embed one two -o HOME/v.jsonl
embed -m local/embed --similar one two three
decide --noul ok=fine? --state fine
do -m local/script list
generate local/canvas boat --quote
generate local/canvas boat -o HOME/a.png
generate local/canvas cat --no-wait
generate local/reel boat -o HOME/a.mp4
jobs extend @last --tier fast --quote
jobs extend @last --tier fast more -o HOME/b.mp4
jobs list
jobs show @last
jobs wait --all
jobs download @last -o HOME/more/
jobs gallery -o HOME/g.html
open job_ID
image create boat -m local/canvas -o HOME/c.png
image list
files upload HOME/one.png
speak hello -m local/voice -o HOME/a.wav
transcribe HOME/one.wav -m local/transcribe
transcribe HOME/long.wav -m local/transcribe --split
voices create Anna HOME/one.wav --consent --engine extvoice
voices add-samples Anna HOME/one.wav
voices list
voices delete Anna --yes
models list
models all
models show local/guide
models show local/canvas
models capabilities
models pricing
models catalog
models media
balance
budget set day 100
budget list
usage list
usage list --all
usage show gen_ID
usage chart
usage keys
keys list
keys show
webhooks show
webhooks set --media https://a.test
tickets create --subject Subject --message "It does not work" --attach HOME/one.png
tickets list
tickets reply ticket_ID "one more" --attach HOME/one.png
tickets show ticket_ID
tickets download ticket_ID -o HOME/images/
tickets watch ticket_ID
tickets close ticket_ID
feedback create --category other --summary Summary --details "It does not work"
feedback show ticket_ID
batch run HOME/q.jsonl -m local/echo --estimate
batch run HOME/q.jsonl -m local/echo -o HOME/o.jsonl
batch status HOME/o.jsonl
batch report HOME/o.jsonl
run --print -m vendor/model -- codex
openapi
logout
`.trim();

const placed = commandsIn(entries);
const commands = placed.map(({ path }) => path);
/** The command of a line. */
const commandOf = (line: string) =>
  commands.find((path) => line === path || line.startsWith(`${path} `)) ?? line;

/** The names in the tables of the manual. */
const own = new Set(
  pages.flatMap(({ path, text }) =>
    path === 'docs/manual/13-json.md'
      ? Array.from(
          text.matchAll(/^\| (`[^|]+`) /gm),
          ([, names = '']) => names.match(/\w+/g) ?? [],
        ).flat()
      : [],
  ),
);

/** Each name in a value with where it stands, and each amount that is not rounded. */
function* faultsIn(value: unknown, isKnown: (name: string) => boolean, at = ''): Generator<string> {
  const isAmount = typeof value === 'number' && /rub$/i.test(at);
  if (isAmount && value !== Number(value.toFixed(9))) yield `${at} is ${value}`;
  if (Array.isArray(value)) for (const item of value) yield* faultsIn(item, isKnown, at);
  if (!isRecord(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`;
    // The names of settings.
    const isOpen = at === 'settings' || at === 'fields';
    const twin = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (twin !== name && twin in value) yield `${path} beside ${twin}`;
    if (isOpen || isKnown(name)) yield* faultsIn(inner, isKnown, path);
    else yield path;
  }
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

class WholeClock extends PollingClock {
  override now(): number {
    return Math.floor(super.now());
  }
}

test('every command has a line here, or prints no JSON of its own', () => {
  const shown = new Set(lines.split('\n').map(commandOf));
  expect(commands.filter((path) => !shown.has(path) && others[path] === undefined)).toEqual([]);
});

test('every command has a schema of its JSON, or prints none of its own', () => {
  const without = placed.filter(({ path, command }) => !resultOf(path, command));
  expect(without.map(({ path }) => path).sort()).toEqual(Object.keys(others).sort());
});

test('the manual lists every name that svc adds, in one style', () => {
  expect([...own].filter((name) => !/^[a-z][a-zA-Z\d]*$/.test(name))).toEqual([]);
});

test('no command prints another name, or an amount that is not rounded', async () => {
  const clock = new WholeClock({ now: Date.UTC(2026, 10, 21, 18, 43) });
  const reply = JSON.stringify({ command: 'ls', explanation: 'lists', risk: 'read' });
  const peer = await startPeer({ rules: [{ reply }], clock });
  const home = testFolder();
  const files = { 'schema.json': '{}', 'one.png': png, 'one.wav': wav({ seconds: 4 }) };
  const SHA256SUMS = `${'0'.repeat(64)}  svc-cli-0.0.0-test/bin/svc.cjs`;
  const more = {
    SHA256SUMS,
    'long.wav': wav({ seconds: 4000 }),
    'q.jsonl': '{"custom_id":"a","prompt":"hi"}',
  };
  for (const [name, bytes] of Object.entries({ ...files, ...more }))
    writeFileSync(join(home, name), bytes);
  const SVC_SESSION = 'svc_session=local';
  const env = { SVC_BASE_URL: peer.url, SVC_API_KEY: frontKey, SVC_SESSION, EDITOR: 'true' };
  const faults: string[] = [];
  let before = '';
  for (const line of lines.split('\n')) {
    const known = peer.exchanges.length;
    const given = line.replaceAll('HOME', home).replace(/([a-z]+_)ID/, (_, start: string) => {
      return (
        before
          .match(new RegExp(`"${start}\\w+"`, 'g'))
          ?.at(-1)
          ?.slice(1, -1) ?? ''
      );
    });
    const { stdout, stderr } = await run(['--json', ...words(given)], {
      home,
      clock,
      env,
      stdin: frontKey,
    });
    before += stdout;
    const value = parsedJson(stdout);
    if (value === undefined) faults.push(`${line}: no JSON, ${stderr}${stdout}`.slice(0, 300));
    const replies = peer.exchanges
      .slice(known)
      .flatMap(({ response: { body } }) => (typeof body === 'string' ? [parsedJson(body)] : []));
    const theirs = new Set(namesIn(replies));
    const unknown = new Set(faultsIn(value, (name) => own.has(name) || theirs.has(name)));
    for (const fault of unknown) faults.push(`${line}: ${fault}`);
    const path = commandOf(line);
    const { command = {} } = placed.find((one) => one.path === path) ?? {};
    const { error } = resultOf(path, command)?.safeParse(value) ?? {};
    for (const { path, message } of error?.issues ?? [])
      faults.push(`${line}: ${path.join('.')} ${message}`);
  }
  expect(faults).toEqual([]);
});
