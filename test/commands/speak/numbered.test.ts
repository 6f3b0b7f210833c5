import { expect, it, vi } from 'vitest';
import * as settle from '../../../src/files/target.js';
import { letters, speaking } from './book.js';
import { read } from './talker.js';

vi.mock(import('../../../src/files/target.js'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, giveName: vi.fn(original.giveName) };
});

it('pieces that got no names of their own are not paid for again', async () => {
  const { at, speak } = await speaking('book.flac');
  at.instead = ({ url }, response, count) => {
    if (url !== '/v1/audio/speech') return false;
    response.writeHead(200, { 'content-type': 'audio/flac' }).end(`fLaC${String(count)}`);
    return true;
  };
  const { giveName } = await vi.importActual<typeof settle>('../../../src/files/target.js');
  vi.mocked(settle.giveName).mockImplementation((part, target, extension) => {
    if (target.kind === 'file' && target.path.endsWith('book-3.flac'))
      throw new Error('the disk is gone');
    return giveName(part, target, extension);
  });
  expect((await speak()).code).not.toBe(0);
  expect(at.files()).not.toContain('book-3.flac');
  const { length } = at.posted();
  vi.mocked(settle.giveName).mockImplementation(giveName);
  expect((await speak('--resume', '--force')).code).toBe(0);
  expect(at.posted()).toHaveLength(length);
  expect(at.files()).toEqual(letters.map((_, index) => `book-${String(index + 1)}.flac`));
  expect(read(at.path('book-1.flac')).toString()).toBe('fLaC1');
});
