import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

const images = {
  'image/png': Buffer.from('\x89PNG\r\n\x1a\n rest of a PNG', 'latin1'),
  'image/jpeg': Buffer.from('\xff\xd8\xff\xe0 rest of a JPEG', 'latin1'),
  'image/gif': Buffer.from('GIF89a rest of a GIF', 'latin1'),
  'image/webp': Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 rest', 'latin1'),
} as const;

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const dataUrl = (type: keyof typeof images) =>
  `data:${type};base64,${images[type].toString('base64')}`;

const Turns = z.array(z.object({ role: z.literal('user'), content: z.unknown() }));
const Shown = z.object({
  body: z.union([z.object({ messages: Turns }), z.object({ input: Turns })]),
});

/** The content of the user's message as the service would get it. */
async function sent(format: string, words: readonly string[], stdin?: string | Buffer) {
  const line = ['--local', 'chat', '-m', 'm', '--format', format, '--dry-run', ...words];
  const { stdout, stderr, code } = await run(line, { stdin });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { body } = Shown.parse(JSON.parse(stdout));
  const [turn, ...others] = 'messages' in body ? body.messages : body.input;
  expect(others).toEqual([]);
  return turn?.content;
}

describe('an image', () => {
  it.each(Object.keys(images))('is known by its content, whatever its name: %s', async (type) => {
    const kind = Object.entries(images).find(([name]) => name === type)?.[1] ?? '';
    for (const name of ['photo', 'photo.txt', 'wrong.png']) {
      expect(await sent('chat', ['-a', file(name, kind), 'what is this?'])).toEqual([
        {
          type: 'image_url',
          image_url: { url: `data:${type};base64,${Buffer.from(kind).toString('base64')}` },
        },
        { type: 'text', text: 'what is this?' },
      ]);
    }
  });

  it('is a block of its own kind in each format, from a file or by its URL', async () => {
    const png = file('a.png', images['image/png']);
    const url = 'https://h.example/a.png?x=1';
    const words = ['-a', png, '-a', url, 'hi'];
    const data = dataUrl('image/png');
    expect(await sent('chat', words)).toEqual([
      { type: 'image_url', image_url: { url: data } },
      { type: 'image_url', image_url: { url } },
      { type: 'text', text: 'hi' },
    ]);
    const base64 = images['image/png'].toString('base64');
    expect(await sent('messages', words)).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
      { type: 'image', source: { type: 'url', url } },
      { type: 'text', text: 'hi' },
    ]);
    expect(await sent('responses', words)).toEqual([
      { type: 'input_image', image_url: data },
      { type: 'input_image', image_url: url },
      { type: 'input_text', text: 'hi' },
    ]);
  });

  it('may come from stdin, or as a data URL, and needs no prompt beside it', async () => {
    const data = dataUrl('image/gif');
    const image = { type: 'image_url', image_url: { url: data } };
    expect(await sent('chat', ['-a', '-'], images['image/gif'])).toEqual([image]);
    expect(await sent('chat', ['-a', data])).toEqual([image]);
  });
});

describe('a text file', () => {
  it('goes as text under its name, between the piped text and the prompt', async () => {
    const notes = file('notes.md', '# Notes\n\nä\n');
    expect(await sent('chat', ['-a', notes, 'sum it up'], 'piped\n')).toEqual([
      { type: 'text', text: 'piped\n' },
      { type: 'text', text: 'notes.md:\n\n# Notes\n\nä\n' },
      { type: 'text', text: 'sum it up' },
    ]);
  });
});
