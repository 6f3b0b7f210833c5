/** Codes that the answers of a service lead to. */
import { expect, it } from 'vitest';
import { Interrupted } from '../../src/errors.js';
import {
  chunks,
  events,
  fakeKey,
  fakeService,
  json,
  type Answer,
} from '../helpers/fake-service.js';
import { SkippingClock } from '../helpers/manual-clock.js';
import { run } from '../helpers/run.js';
import { answering, peer } from '../http/rig.js';
import type { ErrorCode } from '../../src/errors.js';
import { reported } from './reported.js';

const word = chunks('word');
const head = (type: string, length = 'content-length: 999') =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${length}\r\n\r\n`;
const answers = {
  stream: ['chat -m m hi', head('text/event-stream') + word],
  speech: ['speak -m m hi -o -', `${head('audio/wav')}RIFF\xff\xff\xff\x7fWAVEfmt `],
  answer: ['api GET /v1/models', `${head('application/json')} `],
} as const;
const typing = { tty: { stdin: true } };

it.each<[code: ErrorCode, exit: number, options: string, end: 'fin' | 'reset' | 'keep']>([
  ['stream_truncated', 12, '', 'fin'],
  ['stream_reset', 12, '', 'reset'],
  ['stream_idle_timeout', 12, '--idle-timeout 50ms', 'keep'],
  ['stream_deadline', 12, '--timeout 1s', 'keep'],
  ['speech_truncated', 12, '', 'fin'],
  ['speech_reset', 12, '', 'reset'],
  ['speech_idle_timeout', 12, '--idle-timeout 50ms', 'keep'],
  ['speech_deadline', 12, '--timeout 1s', 'keep'],
  ['answer_truncated', 12, '', 'fin'],
  ['answer_reset', 12, '', 'reset'],
  ['answer_idle_timeout', 12, '--idle-timeout 50ms', 'keep'],
  ['answer_deadline', 12, '--timeout 1s', 'keep'],
])('%s, with exit %i, where a body is cut off', async (code, exit, options, end) => {
  const [line, bytes] = Object.entries(answers).find(([what]) => code.startsWith(what))?.[1] ?? [];
  const { url } = await peer(answering(Buffer.from(bytes ?? '', 'latin1'), end));
  const env = { SVC_BASE_URL: url.origin, SVC_API_KEY: fakeKey };
  expect(await reported(`${line ?? ''} ${options}`, { env, ...typing })).toEqual([code, exit]);
});

it.each<[code: ErrorCode, exit: number, line: string, answer: string, scheme?: string]>([
  ['connect_timeout', 6, 'balance --connect-timeout 50ms', '', 'https'],
  ['tls', 6, 'balance', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'https'],
  ['not_http', 6, 'balance', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['no_answer', 6, 'balance --first-byte-timeout 50ms', ''],
  ['idle_timeout', 6, 'balance --idle-timeout 50ms', `${head('application/json')} `],
  ['deadline', 6, 'balance --timeout 100ms', ''],
])('%s, with exit %i: svc %s', async (code, exit, line, answer, scheme = 'http') => {
  const { port } = await peer((socket) => {
    if (answer !== '') socket.once('data', () => socket.write(answer));
  });
  const env = { SVC_BASE_URL: `${scheme}://127.0.0.1:${port}`, SVC_API_KEY: fakeKey };
  expect(await reported(line, { env })).toEqual([code, exit]);
});

let pages = 0;
const page =
  (cursor: () => string): Answer =>
  (request, response) => {
    const nextCursor = cursor();
    json({ object: 'list', data: [], hasMore: true, nextCursor })(request, response);
  };
const replying = (value: string | object): Answer => {
  const content = typeof value === 'string' ? value : JSON.stringify(value);
  const message = { role: 'assistant', content };
  return json({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
};
const voice = { id: 'voice_00000000000000000001', name: 'Twin' };
const voices = [voice, { ...voice, id: 'voice_00000000000000000002' }];
const queued = json({ status: 'queued', output: [] });
const noModels = json({ models: [], pagination: { total: 5 } });
const none = json({ error: 'no' }, 404);
const page404: Answer = (_request, response) => void response.writeHead(404).end('<html>');

it.each<[code: ErrorCode, exit: number, line: string, answer: Answer]>([
  ['stream_cut', 12, 'chat -m m hi', events(word)],
  ['stream_error', 12, 'chat -m m hi', events('data: {"error":"broken"}\n\n')],
  ['invalid_event', 12, 'chat -m m hi', events('data: x\n\n')],
  ['answer_failed', 12, 'chat -m m hi --format responses', json({ status: 'failed', output: [] })],
  ['answer_unfinished', 12, 'chat -m m hi --format responses', queued],
  ['reply_too_large', 12, 'chat -m m hi', json({ x: ' '.repeat(17 * 1024 ** 2) })],
  ['empty_pages', 12, 'tickets list --all', page(() => `${(pages += 1)}`)],
  ['pages_repeat', 12, 'tickets list --all', page(() => 'same')],
  ['records_missing', 12, 'usage list --all', json({ data: [], page: 1, limit: 100, total: 5 })],
  ['models_missing', 12, 'models capabilities --all', noModels],
  ['page_too_large', 12, 'api GET /v1/x --paginate', json({ x: ' '.repeat(65 * 1024 ** 2) })],
  ['job_not_found', 3, 'jobs show job_1', none],
  ['refused', 3, 'chat -m m hi', none],
  ['not_the_service', 10, 'chat -m m hi', page404],
  ['not_the_service', 3, 'jobs show job_1', page404],
  ['ticket_not_found', 3, 'tickets show ticket_1', none],
  ['no_command', 3, 'do -m m x', replying('no')],
  ['hidden_characters', 3, 'do -m m x', replying({ command: 'ls\u202e' })],
  ['dangerous', 2, 'do -m m x --run --yes', replying({ command: 'rm -rf /' })],
  ['ambiguous_voice', 2, 'voices delete Twin --yes', json({ voices })],
])('%s, with exit %i: svc %s', async (code, exit, line, answer) => {
  const { env } = await fakeService(answer);
  const options = { env, ...typing, clock: new SkippingClock({ now: Date.now() }) };
  expect(await reported(line, options)).toEqual([code, exit]);
});

it('an answer that a user interrupts ends its events with stream_aborted', async () => {
  const interrupt = new AbortController();
  const { env } = await fakeService((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(word);
  });
  const onStdout = () => interrupt.abort(new Interrupted('SIGINT'));
  const options = { env, ...typing, signal: interrupt.signal, onStdout };
  const { stdout, code } = await run('chat -m m hi --events', options);
  expect(code).toBe(130);
  expect(stdout).toContain('"code":"stream_aborted"');
});
