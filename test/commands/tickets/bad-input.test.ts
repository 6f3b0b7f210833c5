import { expect, it } from 'vitest';
import { tickets as limits } from '../../../src/contract/limits.js';
import { images, scene } from './scene.js';
import { keptIncidents } from '../../helpers/state.js';

const { subjectCharacters, messageCharacters, replyCharacters } = limits;
const create = ['create', '--subject', 'It is slow', '--message', 'As slow as can be.'];
/** Counted as the contract counts: one character, two units. */
const wide = (count: number) => '🌍'.repeat(count);
const many = (count: number, flag: string, value: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => [flag, value(index)]).flat();

const longSubject = ['create', '--subject', wide(subjectCharacters.max + 1), ...create.slice(3)];
const longMessage = [...create.slice(0, -1), wide(messageCharacters.max + 1)];

it.each([
  [longSubject, 'subject must be 3 to 200 characters long'],
  [longMessage, 'message must be 10 to 8000 characters long'],
  [[...create.slice(0, -1), ' '.repeat(20)], 'the text of --message is empty'],
  [[...create, '-f', 'x'], '--message and -f cannot be used together'],
  [[...create, ...many(2, '--request-id', () => 'r1')], 'requestIds must not name an id twice'],
  [[...create, '--attach', '/dev/null'], '/dev/null is not a regular file; pipe it in and use -'],
  [['reply', 't1', wide(replyCharacters.max + 1)], 'message must be 1 to 8000 characters long'],
  [['reply', 't1', ''], 'the text of the message is empty'],
  [['reply', 't1'], 'the message is missing'],
  [['create', '--message', 'long enough, this'], '--subject is missing'],
  [['create', '--subject', 'abc'], 'the message is missing: --message, -f, or pipe it in'],
  [['show', ''], 'id is empty'],
  [[...create, '-a', 'https://x.test/a.png'], 'https://x.test/a.png is a URL'],
])('svc tickets %.80j is refused in one sentence, and nothing is sent', async (line, sentence) => {
  const at = await scene();
  const result = await at.svc(line);
  expect(result).toMatchObject({ code: 2, stdout: '' });
  expect(result.stderr.replace(/hint: .*\n$/, '')).toBe(`error: ${sentence}\n`);
  expect(at.calls()).toEqual([]);
  expect(keptIncidents(at.home)).toEqual([]);
});

const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n');
const large = (bytes: number) => Buffer.concat([images.png, Buffer.alloc(bytes)]);
const tooLarge = large(limits.attachments.bytes - images.png.length + 1);

it.each([
  ['a PDF', [['a.pdf', pdf]], 'a.pdf is not a PNG, JPEG, GIF or WebP image, it is application/pdf'],
  [
    'one byte more than 10 MB',
    [['a.png', tooLarge]],
    'a.png has 10485761 bytes; an image may have 10485760 (10 MB)',
  ],
  [
    'six files',
    Array.from({ length: 6 }, (_, index) => [`${String(index)}.png`, images.png] as const),
    'at most 5 images per message, not 6',
  ],
] as const)(
  'an image that a ticket does not take is refused before it is sent: %s',
  async (_, files, sentence) => {
    const at = await scene();
    const flags = files.flatMap(([name, bytes]) => ['--attach', at.file(name, bytes)]);
    for (const line of [create, ['reply', 't1', 'words']]) {
      const result = await at.svc([...line, ...flags]);
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toBe(`error: ${sentence}\n`);
    }
    expect(at.calls()).toEqual([]);
  },
);

it('a ticket takes each kind of image by its content, whatever it is called, five at once, 10 MB each', async () => {
  const at = await scene();
  const largest = large(limits.attachments.bytes - images.png.length);
  const files = [images.png, images.jpeg, images.gif, images.webp, largest];
  const flags = files.flatMap((bytes, index) => ['-a', at.file(`${String(index)}.png`, bytes)]);
  expect(await at.svc([...create, ...flags])).toMatchObject({ code: 0 });
  const types = at.requests[0]?.body.match(/Content-Type: \S+/g);
  const kinds = ['png', 'jpeg', 'gif', 'webp', 'png'];
  expect(types).toEqual(kinds.map((kind) => `Content-Type: image/${kind}`));
});

it('svc tickets reply counts the images that the ticket already has', async () => {
  const at = await scene();
  const id = await at.open();
  const image = at.file('a.png', images.png);
  const flags = (count: number) => many(count, '--attach', () => image);
  const reply = (count: number) => at.svc(['reply', id, 'words', ...flags(count)]);
  for (const count of [5, 3]) expect((await reply(count)).code).toBe(0);
  const before = at.calls().length;
  expect(await reply(3)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'error: a ticket may have 10 images, and this one has 8: 3 more do not fit\n',
  });
  expect(at.calls().slice(before)).toEqual([`GET /v1/tickets/${id}`]);
  expect(await reply(2)).toMatchObject({ code: 0 });
});
