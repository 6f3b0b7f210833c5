import { describe, expect, it } from 'vitest';
import { exampleOf, fitsFormat } from '../../../../src/service/engines/schema/strings.js';
import { sampleString } from '../../../../src/service/engines/schema/scalars.js';

const right: readonly [string, string][] = [
  ['date-time', '2024-02-29T23:59:59.5+03:00'],
  ['date', '1999-12-31'],
  ['time', '00:00:00Z'],
  ['duration', 'P1Y2M3DT4H5M6S'],
  ['email', 'a.b@example.org'],
  ['hostname', 'a-b.example'],
  ['ipv4', '255.255.255.255'],
  ['ipv6', '::1'],
  ['uri', 'urn:isbn:0451450523'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
  ['json-pointer', '/a~1b/0'],
];
const wrong: readonly [string, string][] = [
  ['date-time', '2024-02-29 23:59'],
  ['date', '1999-13-01'],
  ['time', '24:00:00Z'],
  ['duration', 'P'],
  ['email', 'nobody'],
  ['hostname', '-a.example'],
  ['ipv4', '256.1.1.1'],
  ['ipv4', '1.1.1.1.'],
  ['ipv6', '1.2.3.4'],
  ['uri', '/relative'],
  ['uuid', '123e4567'],
  ['json-pointer', 'a/b'],
];

describe('string formats', () => {
  it.each(right)('takes %s %s', (format, value) => {
    expect(fitsFormat(value, format)).toBe(true);
  });

  it.each(wrong)('refuses %s %s', (format, value) => {
    expect(fitsFormat(value, format)).toBe(false);
  });

  it('has an example of its own that fits, and different ones where several are wanted', () => {
    for (const [format] of right) {
      expect(exampleOf(format)).toBeDefined();
      const some = [0, 1, 2].map((nth) => sampleString({ format }, '', nth));
      expect(some.every((value) => fitsFormat(value, format))).toBe(true);
      if (!['duration', 'json-pointer'].includes(format)) expect(new Set(some).size).toBe(3);
    }
  });

  it('lets an unknown format be anything', () => {
    expect(exampleOf('toString')).toBeUndefined();
    expect(fitsFormat('x', 'constructor')).toBe(true);
  });
});
