import process from 'node:process';
import { describe, expect, it, vi } from 'vitest';
import { TimeLimitError, withinTime } from '../../src/lib/time-limit.js';

describe('withinTime', () => {
  it('starts work again that a busy machine gave no time, until it has computed', () => {
    const used = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
    let starts = 0;
    const work = (last: number) => () => {
      starts += 1;
      if (starts === last) return 'done';
      if (starts === 2) used.mockRestore();
      for (;;);
    };
    try {
      expect(withinTime(20, work(2))).toBe('done');
      starts = 0;
      expect(() => withinTime(20, work(4))).toThrow(TimeLimitError);
      expect(starts).toBeLessThan(4);
    } finally {
      used.mockRestore();
    }
  });

  it('limits nested work, and resumes the outer work', () => {
    const endless = () => /^(a+)+$/.test('a'.repeat(60) + '!');
    const outer = withinTime(10_000, () => {
      expect(() => withinTime(20, endless)).toThrow(TimeLimitError);
      return 'went on';
    });
    expect(outer).toBe('went on');
  });
});
