/** Codes that command lines, their files and settings, and this machine lead to, without a service. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { chatLine } from '../commands/batch/folder.js';
import { images } from '../commands/tickets/scene.js';
import { wav } from '../commands/voices/scene.js';
import { testFolder } from '../helpers/folder.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { run, type RunOptions } from '../helpers/run.js';
import type { ErrorCode } from '../../src/errors.js';
import { reported } from './reported.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const adpcm = wav();
adpcm.writeUInt16LE(2, 20);
adpcm.writeUInt32LE(52 * 1024 ** 2, 40);
const files = {
  empty: '',
  gap: 'one\n\ntwo\n',
  words: 'some words',
  brace: '{',
  list: '[1]',
  object: '{}',
  huge: '',
  binary: Buffer.from('\0\xff\0\xfe', 'latin1'),
  'words.png': 'some words',
  image: images.png,
  wav: wav(),
  'adpcm.wav': adpcm,
  twice: 'a: 1\na: 2',
  'kept.jsonl.part': '[1]\n',
  'short.jsonl.part': '[1,2]\n',
  batch: chatLine('a', 'hi'),
  failing: chatLine('a', 'hi', { model: 'none' }),
  other: chatLine('b', 'hi'),
};
for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
truncateSync(at('huge'), 200 * 1024 ** 2);
truncateSync(at('adpcm.wav'), 52 * 1024 ** 2 + 44);
mkdirSync(at('players'));
writeFileSync(at('players/mpv'), '#!/bin/sh\nexit 2\n');
chmodSync(at('players/mpv'), 0o755);
mkdirSync(at('home/templates'), { recursive: true });
writeFileSync(at('home/templates/broken.yaml'), 'a: 1\na: 2');
writeFileSync(at('home/templates/form.yaml'), 'prompt: about {topic}');
mkdirSync(at('broken/data'), { recursive: true });
writeFileSync(at('broken/data/local.sqlite'), 'no database'.repeat(1000));
mkdirSync(at('folder/config.json'), { recursive: true });

const address = { SVC_BASE_URL: 'https://x.invalid' };
const account = { ...address, SVC_API_KEY: 'sk-svc-0123456789' };
const cleartext = { SVC_BASE_URL: 'http://x.invalid', SVC_API_KEY: 'sk-svc-0123456789' };
const typing = { tty: { stdin: true } };
const long = 'word '.repeat(3000);
const home = { home: at('home') };
const players = { env: { PATH: at('players') } };
const noul = 'decide --yes-no a=b';
const done = '--local batch run F/batch -o F/done';
const named = (name: string) => `--local chat --conversation ${name} hi`;
const failing = (error: Error) => () => {
  throw error;
};
const clock = (message: string) => ({ ...systemClock, now: failing(new Error(message)) });
const full = failing(Object.assign(new Error('full'), { code: 'ENOSPC' }));

/** Lines that are run before, in the same home. */
type Options = RunOptions & { after?: readonly string[] };

it.each<[code: ErrorCode, exit: number, line: string, options?: Options]>([
  ['bad_alias', 2, 'alias set chat balance'],
  ['bad_date', 2, '--local usage list --all --since never'],
  ['bad_fields', 2, '--local balance --fields a..b'],
  ['bad_key', 2, 'login --with-key --base-url https://x.invalid', { stdin: 'a b' }],
  ['bad_proxy', 4, 'balance', { env: { ...account, HTTPS_PROXY: 'ftp://x' } }],
  ['bad_range', 2, '--local usage list --all --since 2026-02 --until 2026-01-01'],
  ['bad_session', 4, 'webhooks show', { env: { ...address, SVC_SESSION: 'x' } }],
  ['bad_setting', 2, 'config set base_url x'],
  ['bad_template', 2, '--local chat -t broken hi', home],
  ['bad_url', 2, 'webhooks set --media http://x.invalid', { env: account }],
  ['batch_incomplete', 12, '--local batch run F/failing -o F/failed'],
  ['bug', 1, '--local balance', { clock: clock('broken') }],
  ['bytes_to_terminal', 2, '--local api POST /v1/audio/speech -f input=x', { tty: true }],
  ['cannot_cut', 2, '--local transcribe --split F/adpcm.wav'],
  ['cannot_listen', 2, 'serve --host 127.999.999.999 --port 0'],
  ['cleartext_session', 4, 'webhooks show', { env: { ...cleartext, SVC_SESSION: 'a=b' } }],
  ['cleartext_key', 4, 'balance', { env: cleartext }],
  ['config_unreadable', 4, 'balance', { home: at('folder') }],
  ['corpus_unusable', 2, 'serve --corpus F/none'],
  ['editor_failed', 2, 'templates edit form', { ...home, env: { VISUAL: 'false' } }],
  ['empty_attachment', 2, '--local chat hi -a F/empty'],
  ['empty_file', 2, '--local transcribe F/empty'],
  ['empty_line', 2, '--local embed --lines -f F/gap -o F/gap.jsonl'],
  ['empty_prompt', 2, '--local chat'],
  ['empty_query', 2, '--local search'],
  ['empty_source', 2, '--local files upload F/empty'],
  ['empty_text', 2, '--local speak'],
  ['file_missing', 11, '--local open F/none/a.png'],
  ['file_too_large', 2, '--local chat hi -a F/huge'],
  ['foreign_url', 2, '--local api GET https://x.invalid/v1/models'],
  ['invalid_condition', 2, `--local ${noul} --state x --exit-on c`],
  ['invalid_field', 2, '--local api POST /v1/x -f x'],
  ['invalid_header', 2, '--local api GET /v1/models -H x'],
  ['invalid_id', 2, '--local jobs show "a b"'],
  ['invalid_json', 2, '--local generate local/canvas x --opts F/brace'],
  ['invalid_messages', 2, '--local chat --history F/list hi'],
  ['invalid_method', 2, '--local api FETCH /v1/models'],
  ['invalid_options', 2, '--local generate local/canvas x --opt none=1'],
  ['invalid_question', 2, '--local decide --state x --option a'],
  ['invalid_questions', 2, '--local decide --state x --questions F/twice'],
  ['invalid_schema', 2, '--local chat hi --schema "a b c"'],
  ['invalid_tool', 2, '--local chat hi --tool F/brace'],
  ['invalid_tools', 2, '--local chat hi --tool-definitions F/object'],
  ['is_a_folder', 2, '--local files upload F/players'],
  ['key_in_argument', 2, 'config set key x'],
  ['line_too_long', 2, '--local embed --lines -f F/huge -o F/huge.jsonl'],
  ['local_file', 11, '--local speak hi -o /dev/null'],
  ['max_chars_exceeded', 5, '--local speak --max-chars 1 hello'],
  ['budget', 5, '--local chat hi', { env: { SVC_BUDGET: '0.000001' } }],
  ['mcp_server', 11, '--local chat hi --mcp F/none'],
  ['missing_parameter', 2, '--local chat -t form hi', home],
  ['name_taken', 2, 'logs rename a b', { after: ['a', 'b'].map(named) }],
  ['name_too_long', 2, `--local chat hi -o F/${'a'.repeat(246)}`],
  ['no_agent', 2, 'skills add', { env: { HOME: at('players') } }],
  ['no_base_url', 4, 'balance'],
  ['no_consent', 2, '--local voices create a F/wav'],
  ['no_conversation', 2, '--local chat -c hi'],
  ['no_editor', 2, 'templates edit form', home],
  ['no_failure', 2, '--local tickets create --from-last-error --yes'],
  ['no_folder', 11, '--local speak hi -o F/none/a.wav'],
  ['no_job', 2, '--local jobs show @last'],
  ['no_key', 4, 'balance', { env: address }],
  ['no_libsql', 11, '--local balance', { clock: clock("Cannot find module '@libsql/x'") }],
  ['no_lines', 2, '--local embed --lines -f F/empty -o F/empty.jsonl'],
  ['no_page', 6, '--local chat hi -f http://127.0.0.1:1/', { clock: new PollingClock() }],
  ['no_release', 2, 'version --verify'],
  ['no_player', 11, '--local speak hi -o F/none.mp3 --play', { env: { PATH: '' } }],
  ['player_failed', 11, '--local speak hi -o F/failed.mp3 --play', players],
  ['no_question', 2, '--local decide --state x'],
  ['no_session', 4, 'webhooks show', { env: account }],
  ['no_state', 2, `--local ${noul}`, typing],
  ['no_such_alias', 2, 'alias delete none'],
  ['no_such_file', 2, '--local files upload F/none'],
  ['no_such_template', 2, '--local chat -t none hi'],
  ['no_terminal', 2, 'login --base-url https://x.invalid'],
  ['no_text', 2, '--local embed', typing],
  ['not_a_file', 2, '--local batch run F/batch -o F/players'],
  ['not_a_recording', 2, '--local transcribe F/image'],
  ['not_an_image', 2, '--local chat hi -a F/words.png'],
  ['not_confirmed', 2, 'templates delete form', { ...home, tty: true, typed: [['Delete', 'n\r']] }],
  ['not_connected', 6, 'balance', { env: { ...account, SVC_BASE_URL: 'http://127.0.0.1:1' } }],
  ['not_downloaded', 12, '--local open job_1'],
  ['not_in_log', 2, '--local logs show 12'],
  ['no_format', 2, '--local speak -o -', { stdin: long }],
  ['not_joinable', 2, '--local speak -o - --format flac', { stdin: long }],
  ['not_set', 2, 'config get base_url'],
  ['not_text', 2, '--local chat', { stdin: Buffer.from([0xff]) }],
  ['other_input', 2, '--local batch run F/other -o F/done', { after: [done] }],
  ['other_length', 12, '--local embed --lines --resume -o F/short.jsonl', { stdin: 'a\nb\n' }],
  ['other_output', 2, '--local batch run F/batch -o F/gap'],
  ['part_exists', 11, '--local embed --lines -f F/words -o F/kept.jsonl'],
  ['price_unknown', 5, '--local api POST /v1/chat/completions --max-cost 1 -f model=none'],
  ['same_file', 2, '--local batch run F/batch -o F/batch'],
  ['several_recordings', 2, '--local voices create a F/wav F/wav --consent'],
  ['shard', 2, '--local batch run F/batch -o F/out --shard 3/2'],
  ['store_unusable', 11, '--local balance', { home: at('broken') }],
  ['text_too_long', 2, '--local speak --no-split', { stdin: long }],
  ['ticket_attachment', 2, '--local tickets create --subject a --message b -a F/words'],
  ['unknown_host', 6, 'balance', { env: account }],
  ['unknown_profile', 2, '--profile none balance'],
  ['unknown_setting', 2, 'config get none'],
  ['unknown_source_kind', 2, '--local generate local/canvas x --input F/binary'],
  ['unknown_voice', 2, '--local speak hi --voice none'],
  ['unsupported_attachment', 2, '--local chat hi -a F/binary'],
  ['voice_sample', 2, '--local voices create a F/words --consent'],
  ['write_failed', 11, '--local balance', { onStdout: full }],
  ['wrong_source', 2, '--local generate local/canvas x --input F/wav'],
])('%s, with exit %i: svc %s', async (code, exit, line, { after = [], ...options } = {}) => {
  const runOptions = { home: testFolder(), ...options };
  const filled = (one: string) => one.replaceAll('F/', `${folder}/`);
  for (const earlier of after) await run(filled(earlier), runOptions);
  expect(await reported(filled(line), runOptions)).toEqual([code, exit]);
});
