/** svc's own commands, recorded against the embedded service over HTTP and played back. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { front, type Front } from '../helpers/front.js';
import { testFolder } from '../helpers/folder.js';
import { fails, run, type RunResult } from '../helpers/run.js';
import { tones, wav } from '../lib/audio/files.js';

interface Made extends RunResult {
  /** What it wrote into its folder. */
  readonly files: Readonly<Record<string, Buffer>>;
}

/** Records a line, and plays it with the same folder but in another home, without key and address. */
async function twice(service: Front, line: string) {
  const [folder, tape] = [testFolder(), join(testFolder(), 'tape.jsonl')];
  const words = line.replaceAll('DIR', folder).replaceAll('HOME', service.home);
  const made = async (ran: Promise<RunResult>): Promise<Made> => {
    const result = await ran;
    const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]);
    readdirSync(folder).forEach((name) => rmSync(join(folder, name)));
    return { ...result, files: Object.fromEntries(files) };
  };
  const recorded = await made(service.svc(words, { env: { SVC_TAPE: `record:${tape}` } }));
  const sent = service.requests.length;
  const play = () => made(run(words, { clock: service.clock, env: { SVC_TAPE: tape } }));
  const played = await play();
  expect(await play()).toEqual(played);
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
