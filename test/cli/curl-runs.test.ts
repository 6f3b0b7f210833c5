/** What --curl prints is run by bash and curl, against a service that compares it with svc's own request. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fakeKey, fakeService, json, type Kept } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { png } from '../helpers/fake-media.js';
import { wav } from '../lib/audio/files.js';

/** The parts of a form, by what their heads say. */
async function partsOf({ bytes, headers: sentHeaders }: Kept): Promise<Record<string, string>> {
  const headers = { 'content-type': sentHeaders['content-type'] ?? '' };
  const sent = new Request('http://x', { method: 'POST', headers, body: new Uint8Array(bytes) });
  // Deprecated for servers; here it is a judge that knows nothing of us.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const form = await sent.formData();
  const parts: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') parts[name] = value;
    else {
      const bytes = Buffer.from(await value.arrayBuffer()).toString('hex');
      parts[`${name} ${value.name} ${value.type}`] = bytes;
    }
  }
  return parts;
}

function inBash(text: string, ids: Record<string, string> = {}) {
  // A system takes no script of any length on a command line.
  const script = join(testFolder(), 'curl.sh');
  writeFileSync(script, text);
  const env = { PATH: process.env['PATH'], SVC_API_KEY: fakeKey, ...ids };
  return promisify(execFile)('bash', ['--norc', script], { env });
}

describe('what --curl prints, run by bash,', () => {
  /** Files with names that a shell and curl must not take for their own. */
  function files() {
    const folder = join(testFolder(), `it's; "a, $b`);
    mkdirSync(folder);
    const put = (name: string, bytes: Buffer | string) => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const picture = Buffer.concat([png, Buffer.alloc(300_000, 3)]);
    return {
      picture,
      png: put('pi"c.png', picture),
      wav: put('so;und.wav', wav(Buffer.alloc(200_000))),
      json: put('big.json', JSON.stringify({ text: 'Привет '.repeat(40_000) })),
      huge: put('huge.json', JSON.stringify({ text: 'x'.repeat(2_000_000) })),
    };
  }

  async function runs(line: readonly string[], stdin?: string | Buffer) {
    const { requests: got, env } = await fakeService(json({}));
    const shown = await run([...line, '--curl'], { env, stdin });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(got).toEqual([]);
    expect((await inBash(shown.stdout)).stderr).toBe('');
    const [sent] = got;
    if (!sent || got.length > 1) throw new Error(`${String(got.length)} requests`);
    expect(sent.headers.authorization).toBe(`Bearer ${fakeKey}`);
    return sent;
  }

  it('sends the images of a prompt', async () => {
    const at = files();
    const { body } = await runs(['chat', '-m', 'm', '-a', at.png, 'what?']);
    const url = `data:image/png;base64,${at.picture.toString('base64')}`;
    const content = [{ image_url: { url } }, { text: 'what?' }];
    expect(JSON.parse(body)).toMatchObject({ messages: [{ content }] });
  });

  it('sends a file to upload, named or piped in', async () => {
    const at = files();
    const bytes = at.picture.toString('hex');
    const named = await runs(['files', 'upload', at.png, '--name', 'a "b".png']);
    expect(await partsOf(named)).toEqual({ 'file a "b".png image/png': bytes });
    const piped = await runs(['files', 'upload', '-'], at.picture);
    expect(await partsOf(piped)).toEqual({ 'file stdin image/png': bytes });
  });

  it('sends the images of a ticket, of which one may be piped in', async () => {
    const at = files();
    const bytes = at.picture.toString('hex');
    const line = ['tickets', 'create', '--subject', 'It broke', '--message', "it's @broken; why?"];
    const sent = await partsOf(
      await runs([...line, '--attach', at.png, '--attach', '-'], at.picture),
    );
    expect(sent).toMatchObject({
      subject: 'It broke',
      message: "it's @broken; why?",
      'files pi"c.png image/png': bytes,
    });
    expect(Object.keys(sent).filter((name) => name.startsWith('files '))).toHaveLength(2);
    const reply = ['tickets', 'reply', 'ticket_1', 'Still so', '--attach', at.png];
    expect(await partsOf(await runs(reply))).toMatchObject({ 'files pi"c.png image/png': bytes });
  });

  it('uploads the sources of a job, which is not sent before their ids are known', async () => {
    const at = files();
    const bytes = at.picture.toString('hex');
    const { requests: got, env } = await fakeService(json({}));
    const inputs = ['--input', at.png, '--input', `audio_file_id=${at.wav}`];
    const shown = await run(['generate', 'v/m', "it's", ...inputs, '--curl'], { env });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    await expect(inBash(shown.stdout)).rejects.toThrow('FILE_ID');
    expect(got.map(({ url }) => url)).toEqual(['/v1/files', '/v1/files']);
    const [first] = got;
    if (!first) throw new Error('nothing was uploaded');
    expect(await partsOf(first)).toEqual({ 'file pi"c.png image/png': bytes });
    await inBash(shown.stdout, { FILE_ID: 'file_1', FILE_ID_2: 'file_2' });
    expect(JSON.parse(got.at(-1)?.body ?? '')).toEqual({
      model: 'v/m',
      prompt: "it's",
      opts: { image_file_id: 'file_1', audio_file_id: 'file_2' },
    });
  });

  it('sends the body of svc api, whatever its type and source', async () => {
    const at = files();
    const line = ['api', 'POST', '/v1/x', '--input'];
    const binary = Buffer.from([0, 1, 255, 254, 10, 13, 0]);
    expect((await runs([...line, '-'], binary)).bytes).toEqual(binary);
    expect((await runs([...line, '-'], '{"a":"it\'s"}')).body).toBe('{"a":"it\'s"}');
    expect((await runs([...line, at.json])).body).toContain('Привет Привет');
    expect((await runs([...line, at.huge])).body).toHaveLength(2_000_011);
  });
});
