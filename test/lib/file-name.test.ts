import { describe, expect, it } from 'vitest';
import { numbered, safeFileName } from '../../src/lib/file-name.js';

describe('a name by others', () => {
  it.each([
    ['lighthouse.png', 'lighthouse.png'],
    ['маяк 1.png', 'маяк 1.png'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:evil.txt', 'C_evil.txt'],
    ['a.txt:stream', 'a.txt_stream'],
    ['.bashrc', 'bashrc'],
    ['-rf', 'rf'],
    ['x.png. . ', 'x.png'],
    ['a\u0000b\u001b[31m\nc.png', 'ab[31mc.png'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['<a>|"b"?*.png', '_a_b_.png'],
    ['a   b.png', 'a b.png'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['com10', 'com10'],
    ['e\u0301.png', '\u00e9.png'],
    ['\ud800x.png', '\ufffdx.png'],
  ])('%j becomes %j', (hint, name) => {
    expect(safeFileName(hint)).toBe(name);
  });

  it.each(['', '/', '..', '.', '...', ' ', '\u0000', 'a/', 'folder\\', '-.-'])(
    '%j leaves nothing',
    (hint) => {
      expect(safeFileName(hint)).toBeUndefined();
    },
  );

  it('is cut to what file systems take, its extension last', () => {
    for (const stem of ['a'.repeat(5000), 'я'.repeat(500), '😀'.repeat(100)]) {
      const name = safeFileName(`${stem}.png`) ?? '';
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
      expect(Buffer.byteLength(name)).toBeGreaterThan(195);
      expect(name.endsWith('.png')).toBe(true);
      expect(name).not.toContain('\ufffd');
    }
  });
});

it('numbers a name before its extension', () => {
  expect(numbered('a.tar.gz', 2)).toBe('a.tar-2.gz');
  expect(numbered('folder.v1/a', 3)).toBe('folder.v1/a-3');
});
