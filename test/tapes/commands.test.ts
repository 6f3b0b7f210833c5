/** svc's own commands, recorded against the embedded service over HTTP and played back. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { front, type Front } from '../helpers/front.js';
import { testFolder } from '../helpers/folder.js';
import { systemClock, type Clock } from '../../src/lib/clock.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { fails, run, type RunResult } from '../helpers/run.js';
import { tones, wav } from '../lib/audio/files.js';

interface Made extends RunResult {
  /** What it wrote into its folder. */
  readonly files: Readonly<Record<string, Buffer>>;
}

/** Records a line, and plays it with the same folder but in another home, without key and address. */
async function twice(service: Front, line: string, clock: Clock = service.clock) {
  const [folder, tape] = [testFolder(), join(testFolder(), 'tape.jsonl')];
  const words = line.replaceAll('DIR', folder).replaceAll('HOME', service.home);
  const made = async (ran: Promise<RunResult>): Promise<Made> => {
    const result = await ran;
    const names = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isFile());
    const files = names.map(({ name }) => [name, readFileSync(join(folder, name))]);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    return { ...result, files: Object.fromEntries(files) };
  };
  const connect = vi.spyOn(Socket.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  const recorded = await made(service.svc(words, { clock, env: { SVC_TAPE: `record:${tape}` } }));
  const sent = service.requests.length;
  const play = () => made(run(words, { clock, env: { SVC_TAPE: tape } }));
  expect(connect).toHaveBeenCalled();
  connect.mockClear();
  const played = await play();
  expect(await play()).toEqual(played);
  expect(connect).not.toHaveBeenCalled();
  expect(service.requests).toHaveLength(sent);
  return { recorded, played, tape };
}

it.each([
  ['a streamed answer', 'chat -m local/guide hi'],
  ['a whole answer', 'chat -m local/guide --no-stream --json hi'],
  ['the format of Anthropic', 'chat -m local/guide --format messages --json hi'],
  ['vectors', 'embed -m local/embed --json text'],
  ['a search', 'search --json price'],
  ['the balance', 'balance --json'],
  ['the models', 'models list --json'],
  [
    'a ticket',
    'tickets create --subject "Answers stop early" --category api_error -f HOME/a.txt --json',
  ],
  ['a job with polling and a file', 'generate local/canvas lighthouse -o DIR/a.png --json'],
  ['an image', 'image create -m local/canvas lighthouse -o DIR/a.png --json'],
  ['speech', 'speak -m local/voice "good morning" -o DIR/a.mp3'],
  ['a recording', 'transcribe -m local/transcribe HOME/a.wav --json'],
  ['an uploaded file', 'files upload HOME/a.wav --json'],
])('plays %s as it was recorded, byte for byte', async (_, line) => {
  const service = await front();
  service.file('a.txt', 'They stop after some lines, since yesterday.');
  service.file('a.wav', wav(tones([440, 0.5])));
  const { recorded, played, tape } = await twice(service, line);
  expect(recorded).toMatchObject({ code: 0 });
  expect(played).toEqual(recorded);
  expect(readFileSync(tape, 'latin1')).not.toMatch(/sk-svc|sig=[^x]/);
});

it('plays an offline recording, too, with nothing of the service', async () => {
  const tape = join(testFolder(), 'tape.jsonl');
  const line = '--local chat --json hi';
  const recorded = await run(line, { env: { SVC_TAPE: `record:${tape}` } });
  expect(recorded.code).toBe(0);
  expect(await run(line, { env: { SVC_TAPE: tape } })).toEqual(recorded);
  const withModel = 'chat -m local/guide --json hi';
  expect((await run(withModel, { env: { SVC_TAPE: tape } })).stdout).toBe(recorded.stdout);
});

it('fails where a request is not on the tape, and says how it differs and how to record it', async () => {
  const service = await front();
  const tape = join(testFolder(), 'tape.jsonl');
  const chat = (words: string) => `chat -m local/guide ${words}`;
  await service.svc(chat('hi'), { env: { SVC_TAPE: `record:${tape}` } });
  const result = await run(chat('ho'), { env: { SVC_TAPE: tape } });
  expect(result).toMatchObject(
    fails(
      3,
      'POST /v1/chat/completions is not on the tape',
      'recorded "hi", asked "ho"',
      `SVC_TAPE=record:${tape}`,
    ),
  );
  const json = await run(`${chat('ho')} --json`, { env: { SVC_TAPE: tape } });
  expect(json.stderr).toContain('"code":"not_on_tape","status":404');
});

it('reserves nothing and reads no price list while it plays, whatever the ceiling and the budget', async () => {
  const service = await front();
  const tape = join(testFolder(), 'tape.jsonl');
  const line = 'chat -m local/guide hi';
  await service.svc(line, { env: { SVC_TAPE: `record:${tape}` } });
  const env = { SVC_TAPE: tape, SVC_BUDGET: '0.0001' };
  expect((await run(`--max-cost 0.0001 ${line}`, { env })).code).toBe(0);
  expect((await service.svc(`--max-cost 0.0001 ${line}`)).code).toBe(5);
});

it.each([
  ['chat -m local/guide hi', '--max-cost 2'],
  ['chat -m local/guide --format messages hi', '--max-cost 2'],
  ['generate local/canvas lighthouse -o DIR/a.png --force --new', '--max-cost 20'],
])('plays svc %s with another ceiling than it was recorded with', async (line, ceiling) => {
  const service = await front();
  const tape = join(testFolder(), 'tape.jsonl');
  const words = line.replace('DIR', testFolder());
  const recorded = await service.svc(`${ceiling} ${words}`, {
    env: { SVC_TAPE: `record:${tape}` },
  });
  expect(recorded.code).toBe(0);
  const { clock } = service;
  expect(await run(words, { clock, env: { SVC_TAPE: tape } })).toMatchObject({
    code: 0,
    stdout: recorded.stdout,
  });
  const other = `--max-cost 30 ${words}`;
  expect(await run(other, { clock, env: { SVC_TAPE: tape } })).toMatchObject({
    code: 0,
    stdout: recorded.stdout,
  });
});

it('plays an answer that broke off as one that breaks off', async () => {
  const service = await front();
  service.on(/chat/, { cutAfterBytes: 900 });
  const { recorded, played } = await twice(service, 'chat -m local/guide "What can you do?"');
  expect(recorded).toMatchObject({
    code: 12,
    stderr: expect.stringContaining('the answer ended early'),
  });
  const named = recorded.stderr.replace(/127\.0\.0\.1:\d+/, 'localhost');
  expect(played).toEqual({ ...recorded, stderr: named });
});

it('begins no tape for a dry run', async () => {
  const service = await front();
  const tape = join(testFolder(), 'tape.jsonl');
  const result = await service.svc('--dry-run chat -m local/guide hi', {
    env: { SVC_TAPE: `record:${tape}` },
  });
  expect(result.code).toBe(0);
  expect(existsSync(tape)).toBe(false);
});

it('asks for what it would remember, so that a tape is whole', async () => {
  const service = await front();
  const line = 'generate local/canvas lighthouse --quote --json';
  expect((await service.svc(line)).code).toBe(0);
  const { recorded, played } = await twice(service, line);
  expect(recorded.code).toBe(0);
  expect(played).toEqual(recorded);
});

it('says at once that the state of a job is not on the tape, and waits for no state that is', async () => {
  const service = await front();
  const [folder, tape] = [testFolder(), join(testFolder(), 'tape.jsonl')];
  const make = `generate local/canvas lighthouse -o ${folder}/a.png --force --new`;
  await service.svc(make, { env: { SVC_TAPE: `record:${tape}` } });
  const clock = new PollingClock();
  expect((await run(make, { clock, env: { SVC_TAPE: tape } })).code).toBe(0);
  // Those that are longer end what takes too long.
  expect(clock.sleeps.filter((ms) => ms < 3000)).toContain(10);
  expect(Math.max(...clock.sleeps.filter((ms) => ms < 3000))).toBeLessThanOrEqual(300);
  const lines = readFileSync(tape, 'utf8').split('\n');
  writeFileSync(tape, lines.filter((line) => !line.includes('"path":"/api/media/jobs')).join('\n'));
  const missed = await run(make, { clock: new PollingClock(), env: { SVC_TAPE: tape } });
  expect(missed).toMatchObject({ code: 3 });
  expect(missed.stderr).toContain('is not on the tape');
});

it('keeps a page that is attached by its address', async () => {
  const service = await front();
  service.on(/page/, {
    answer: {
      bytes: Buffer.from('All about lighthouses.'),
      headers: { 'content-type': 'text/plain' },
    },
  });
  const line = `chat -m local/guide -f ${service.origin}/page "openai sdk with svc serve"`;
  const { recorded, played, tape } = await twice(service, line, systemClock);
  expect(recorded.code).toBe(0);
  // The answer shows the key of the service, which is not on the tape.
  expect(recorded.stdout).toContain('sk-svc-local');
  expect(played.stdout).toBe(recorded.stdout.replaceAll('sk-svc-local', 'xxxxxxxxxxxx'));
  expect(readFileSync(tape, 'utf8')).toContain('"path":"/page"');
});

it('records a batch, which has connections of its own otherwise', async () => {
  const service = await front();
  service.file('in.txt', 'one\ntwo\n');
  const line = 'batch run HOME/in.txt -m local/guide -o DIR/out.jsonl --ordered';
  const { recorded, played, tape } = await twice(service, line);
  expect(recorded.code).toBe(0);
  expect(readFileSync(tape, 'utf8').match(/"path":"\/v1\/chat\/completions"/g)).toHaveLength(2);
  expect(String(played.files['out.jsonl'])).toBe(String(recorded.files['out.jsonl']));
});

it.each([
  ['record:', 2, 'SVC_TAPE names no file'],
  ['/dev/null', 11, 'cannot read the tape'],
  ['missing.jsonl', 11, 'there is no such file'],
  ['record:/dev/null/tape', 11, 'cannot write the tape'],
])('refuses SVC_TAPE=%s before anything is sent', async (tape, code, words) => {
  const service = await front();
  const result = await service.svc('chat -m local/guide hi', { env: { SVC_TAPE: tape } });
  expect(result).toMatchObject(fails(code, words));
  expect(service.requests).toEqual([]);
});
