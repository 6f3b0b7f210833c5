/** What svc refuses as wrong usage, in one sentence, before it sends anything. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run, words } from '../helpers/run.js';

it.each<[line: string, sentence: string, stdin?: string]>([
  ['usage list --since tomorrow', '--since is not a date or time: "tomorrow"'],
  [
    'usage list --since 2026-11-02 --until 2026-11-01',
    '--since is after --until: 2026-11-02T00:00:00.000Z and 2026-11-01T23:59:59.999Z',
  ],
  ['usage chart --by hour', 'day, model'],
  ['models capabilities --limit 101', 'from 1 to 100'],
  ['models capabilities some/model --all', 'one model has no pages'],
  [`search ${'a'.repeat(1001)}`, 'query must be 1 to 1000 characters long'],
  ['search --country rus x', 'country must be two letters'],
  ['search', 'the query is empty'],
  ['webhooks set --media http://example.com/x', '--media must start with https://'],
  ['webhooks set --balance "https://exa mple.com"', '--balance is not an https URL'],
  ['webhooks set', 'give --media, --balance or both'],
  ['balance --warn-below -1', '--warn-below'],
  ['balance --warn-below x', '--warn-below'],
  ['jobs wait', 'no job is given'],
  ['jobs download', 'no job is given'],
  ['jobs wait job_1 --all', 'ids and --all cannot be combined'],
  ['jobs download job_1 --all', 'ids and --all cannot be combined'],
  ['jobs download --all -o -', '-o - takes the result of one job'],
  ['jobs extend job_1 rain', '--tier is required: lite, fast or quality'],
  ['jobs extend job_1 --tier fast', 'the prompt is empty'],
  [
    'jobs extend job_1 rain --tier fast --no-wait -o F/',
    '--no-wait leaves no result to save or open',
  ],
  ['jobs extend job_1 rain --tier fast --quote -o F/', '--quote leaves no result to save or open'],
  ['files upload /nowhere.png', 'there is no file'],
  ['files upload -', 'empty', ''],
  ['files upload https://example.com/a.png', 'a URL cannot be uploaded'],
  ['files upload - --name ""', '--name needs a name', 'x'],
  ['files upload', 'file'],
  ['api FETCH /x', '"FETCH" is not a method'],
  ['api POST /x -f novalue', 'a field has the form KEY=VALUE'],
  ['api POST /x -F a=1 -F a=2', 'the field a conflicts with another'],
  ['api POST /x -F a[]=1 -F a[b]=2', 'the field a[b] conflicts with another'],
  ['api POST /x -F a=@F/binary', 'is not UTF-8 text'],
  ['api POST /x --input F/none', '--input: there is no file'],
  ['api GET /x --input -', 'GET has no body', 'x'],
  ['api POST /x --input - -F a=@-', 'stdin can be read only once', 'x'],
  ['api GET /x -H "no colon"', "a header has the form 'NAME: VALUE'"],
  ['api GET /x -H "a b: x"', 'is not a header name'],
  ['api GET /x -H "Host: evil.example"', 'svc sets the header host itself'],
  ['api POST /x -H "Content-Length: 1"', 'svc sets the header content-length itself'],
  ['api POST /x --paginate', '--paginate works only with GET'],
  ['embed -m m -o a.txt x', 'the name for -o must end in .npy or .jsonl, not a.txt'],
  ['embed -m m -f a x', '-f and texts as arguments cannot be used together'],
  ['embed -m m --lines x', '--lines and texts as arguments cannot be used together'],
  ['embed -m m --resume x', '--resume needs --lines and -o FILE'],
  ['embed -m m x ""', 'text 2 is empty'],
  ['embed -m m --batch 5000 --lines', 'from 1 to 2048'],
  ['speak -m m -o a.wav', 'the text is empty', ''],
  ['speak -m m hi --format wma', 'wma'],
  ['speak -m m hi -o ""', '--output needs a name'],
  ['speak -m m hi --voice ""', '--voice needs an id or a name'],
  ['--local mcp --tools chatt', '--tools: there is no tool "chatt"; did you mean chat?', ''],
  ['--local mcp --allow chat --read-only', '--read-only excludes all tools of --tools', ''],
])('svc %.60s is refused', async (line, sentence, stdin) => {
  const service = await fakeService(json({}));
  const folder = testFolder();
  writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0]));
  const env = { ...service.env, SVC_SESSION: 'a=b' };
  const tty = { stdin: stdin === undefined };
  const argv = words(line.replace('F/', `${folder}/`));
  const { code, stdout, stderr } = await run(argv, { env, tty, stdin });
  expect({ code, stdout, sent: service.requests }).toEqual({ code: 2, stdout: '', sent: [] });
  expect(stderr).toContain(sentence);
  expect(stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
});
