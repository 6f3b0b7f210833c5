/** Strings with a format: an example of each, and a rough test for it. */

interface StringFormat {
  readonly example: string;
  readonly test: RegExp;
}

const date = String.raw`\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const time = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)`;
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';

const formats: Readonly<Record<string, StringFormat>> = {
  'date-time': { example: '2025-01-01T00:00:00Z', test: new RegExp(`^${date}T${time}$`, 'i') },
  date: { example: '2025-01-01', test: new RegExp(`^${date}$`) },
  time: { example: '12:00:00Z', test: new RegExp(`^${time}$`, 'i') },
  duration: { example: 'P1D', test: /^P(?=.)(\d+[YMWD])*(T(\d+[HMS])+)?$/ },
  email: { example: 'user@example.com', test: /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/ },
  hostname: { example: 'example.com', test: new RegExp(`^${label}(\\.${label})*$`, 'i') },
  ipv4: { example: '192.0.2.1', test: /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}(?<!\.)$/ },
  ipv6: { example: '2001:db8::1', test: /^[0-9a-f:.]*:[0-9a-f:.]*$/i },
  uri: { example: 'https://example.com/', test: /^[a-z][a-z0-9+.-]*:[^\s]*$/i },
  'uri-reference': { example: '/example', test: /^[^\s\\]*$/ },
  uuid: {
    example: '00000000-0000-4000-8000-000000000000',
    test: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  },
  'json-pointer': { example: '/example', test: /^(\/([^~/]|~[01])*)*$/ },
  regex: { example: '.*', test: /^/ },
};

/** A string of a format, or undefined when the format is unknown. */
export function exampleOf(format: string): string | undefined {
  return Object.hasOwn(formats, format) ? formats[format]?.example : undefined;
}

/** Whether a string has a format; an unknown format excludes nothing. */
export function fitsFormat(value: string, format: string): boolean {
  return !Object.hasOwn(formats, format) || formats[format]?.test.test(value) !== false;
}
