import { describe, expect, test } from 'vitest';
import { formOf } from '../../src/api/tickets.js';

async function textOf(payload: ReturnType<typeof formOf>): Promise<string> {
  const pieces: Buffer[] = [];
  const body = payload?.body;
  if (body === undefined || typeof body === 'string' || !('open' in body)) return '';
  for await (const piece of body.open()) pieces.push(Buffer.from(piece));
  const whole = Buffer.concat(pieces);
  expect(whole.length).toBe(body.length);
  return whole.toString('latin1');
}

describe('a report with images', () => {
  const image = { name: 'a.png', mediaType: 'image/png', content: Buffer.from([1, 2, 3]) };

  test('is a form with a field for each value, and for each image', async () => {
    const fields = { subject: 's', requestIds: ['a', 'b'], category: undefined };
    const text = await textOf(formOf(fields, [image, { ...image, name: 'b"\r\n.png' }]));
    expect(text.match(/name="[^"]*"(?:; filename="[^"]*")?/g)).toEqual([
      'name="subject"',
      'name="requestIds"',
      'name="requestIds"',
      'name="files"; filename="a.png"',
      'name="files"; filename="b%22%0D%0A.png"',
    ]);
    expect(text.split('\r\n\r\n\u0001\u0002\u0003\r\n')).toHaveLength(3);
  });

  test('is no form without any', () => {
    expect(formOf({ subject: 's' }, [])).toBeUndefined();
  });
});
