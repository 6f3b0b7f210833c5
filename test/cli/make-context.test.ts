import { describe, expect, it } from 'vitest';
import { contextOver } from '../helpers/context.js';

describe('stdin', () => {
  it('larger than any request is refused before its end', async () => {
    const { context, stdin: stream } = contextOver({});
    const text = context.stdin.text();
    const mebibyte = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    const write = () => {
      while (written < 200 && !stream.destroyed && stream.write(mebibyte)) written += 1;
    };
    stream.on('drain', write);
    write();
    await expect(text).rejects.toMatchObject({
      name: 'UsageError',
      message: 'the piped input is more than 71.0 MB long; the limit is 71.0 MB',
    });
    expect(written).toBeLessThan(80);
    expect(stream.destroyed).toBe(true);
  });

  it('is aborted when svc is interrupted', async () => {
    const stop = new AbortController();
    const { context, stdin: stream } = contextOver({ signal: stop.signal });
    const bytes = context.stdin.bytes();
    stream.write('half');
    stop.abort();
    await expect(bytes).rejects.toThrow();
    expect(stream.destroyed).toBe(true);
  });
});
