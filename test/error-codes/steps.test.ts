/** Codes that need earlier commands, or what a service keeps. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scene as mediaScene } from '../commands/generate/scene.js';
import { cutAt, long } from '../commands/speak/book.js';
import { talker } from '../commands/speak/talker.js';
import { scene as ticketScene, images } from '../commands/tickets/scene.js';
import { idOf, scene as voiceScene, wav } from '../commands/voices/scene.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import type { ErrorCode } from '../../src/errors.js';
import { reported } from './reported.js';

/** A file with this content, in a folder of the test. */
function file(content: string | Buffer, name = 'file'): string {
  const path = join(testFolder(), name);
  writeFileSync(path, content);
  return path;
}

async function spoken(more: string) {
  const at = await talker();
  cutAt(at, 3);
  const [path, text] = [at.path('book.wav'), at.file('book.txt', long)];
  const line = `speak -m vendor/voice -o ${path} -f ${text}`;
  await at.svc(line);
  at.straighten();
  return reported(`${line} ${more}`, { env: at.env, tty: { stdin: true } });
}

/** `svc tickets LINE` about a ticket with two images. */
async function ticket(line: string, isClosed = false) {
  const at = await ticketScene();
  const id = await at.open();
  const pictures = ['a', 'b'].flatMap((name) => ['--attach', at.file(name, images.png)]);
  await at.svc(['reply', id, 'x', ...pictures]);
  if (isClosed) await at.close(id);
  return reported(`tickets ${line.replace('ID', id)}`, { env: at.env });
}

async function voice(fields: object) {
  const { env } = await voiceScene({ id: idOf(1), name: 'Anna', ...fields });
  return reported(`voices add-samples Anna ${file(wav(), 'a.wav')}`, { env });
}

async function withoutAttachment() {
  const [home, path] = [testFolder(), file(images.gif)];
  await run(`--local chat -m local/echo -a ${path} one`, { home });
  rmSync(path);
  return reported('--local chat -m local/echo -c two', { home });
}

async function withoutHome() {
  vi.stubEnv('HOME', '');
  const reporting = reported('config list', { env: { SVC_CONFIG_DIR: '' } });
  return reporting.finally(() => vi.unstubAllEnvs());
}

async function onTakenPort() {
  const { origin } = await fakeService(json({}));
  return reported(`serve --port ${new URL(origin).port}`);
}

async function withoutRequest() {
  const { media, env, home, clock, svc } = await mediaScene();
  media.when('/generate', { status: 502, bytes: Buffer.from('<html></html>') });
  const line = `generate vendor/canvas x --no-wait --inline --input`;
  await svc(`${line} ${file(Buffer.concat([images.png, Buffer.alloc(9_000_000)]))}`);
  rmSync(join(home, 'data/jobs'), { recursive: true });
  return reported('jobs wait --all', { env, home, clock });
}

it.each<[code: ErrorCode, exit: number, steps: () => Promise<unknown>]>([
  ['lost_attachment', 2, withoutAttachment],
  ['no_home', 4, withoutHome],
  ['other_pieces', 2, () => spoken('--resume --voice tenor')],
  ['pieces_kept', 11, () => spoken('')],
  ['port_taken', 2, onTakenPort],
  ['request_lost', 11, withoutRequest],
  ['several_attachments', 2, () => ticket('download ID -o a.png')],
  ['ticket_closed', 3, () => ticket('reply ID x', true)],
  ['unknown_attachment', 2, () => ticket('download ID none')],
  ['voice_samples_limit', 2, () => voice({ engine: 'extvoice', sample_seconds: 300 })],
  ['voice_samples_unsupported', 2, () => voice({ engine: 'standard' })],
])('%s, with exit %i', async (code, exit, steps) => {
  expect(await steps()).toEqual([code, exit]);
});
