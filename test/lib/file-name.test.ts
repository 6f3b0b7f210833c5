import { describe, expect, it } from 'vitest';
import { numbered, safeFileName, splitExtension } from '../../src/lib/file-name.js';

describe('a name by others', () => {
  it.each([
    ['lighthouse.png', 'lighthouse.png'],
    ['маяк 1.png', 'маяк 1.png'],
    ['../../etc/passwd', 'passwd'],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\Windows\\win.ini', 'win.ini'],
    ['C:evil.txt', 'C_evil.txt'],
    ['a.txt:stream', 'a.txt_stream'],
    ['a/b\\c.png', 'c.png'],
    ['.bashrc', 'bashrc'],
    ['...hidden', 'hidden'],
    ['-rf', 'rf'],
    [' .- x.png', 'x.png'],
    ['x.png. . ', 'x.png'],
    ['a\u0000b\u001b[31m\nc.png', 'ab[31mc.png'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['a\u200b\ufeff.png', 'a.png'],
    ['<a>|"b"?*.png', '_a_b_.png'],
    ['a   b.png', 'a b.png'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['nul .txt', '_nul .txt'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['LPT\u00b2', '_LPT\u00b2'],
    ['CONIN$', '_CONIN$'],
    ['console.log', 'console.log'],
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

it('takes what follows the last dot for an extension, where it can be one', () => {
  expect(splitExtension('a.tar.gz')).toEqual(['a.tar', '.gz']);
  expect(splitExtension('a')).toEqual(['a', '']);
  expect(splitExtension('.png')).toEqual(['.png', '']);
  expect(splitExtension('Dr. Who')).toEqual(['Dr. Who', '']);
});
