import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolCallJson } from '../../../src/commands/chat/show.js';
import { fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

/** A service whose answer never ends. */
const endless = () =>
  fakeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const piece = chunk('word '.repeat(2000));
    const talk = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', talk);
    talk();
  });

describe('an answer without end', () => {
  it.each(['--json', '--events', '--json -x'])('ends with what came of it: %s', async (manner) => {
    const { env } = await endless();
    const { code, stdout } = await run(`chat -m m ${manner} hi`, { env });
    expect(code).toBe(12);
    const last: unknown = JSON.parse(
      manner === '--events' ? (stdout.trim().split('\n').at(-1) ?? '') : stdout,
    );
    expect(last).toMatchObject({ complete: false, error: { code: 'answer_too_large' } });
    expect(last).toHaveProperty('text', expect.stringMatching(/^(?:word ){400000}/));
  });
});

it.each([
  ['nested without end', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['indented to more than it is', `${'[1,'.repeat(90)}${'1,'.repeat(2000)}1${']'.repeat(90)}`],
])('arguments %s stay the text that they are', (_, text) => {
  expect(toolCallJson({ name: 'f', arguments: text })).toMatchObject({ arguments: text });
});

it('attachments that together are more than a request are refused', async () => {
  const folder = testFolder();
  const path = join(folder, 'a.png');
  writeFileSync(path, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  truncateSync(path, 30_000_000);
  const { code, stderr } = await run(['--local', 'chat', '-m', 'm', '-a', path, '-a', path, 'hi']);
  expect(code).toBe(2);
  expect(stderr).toContain('what is attached is 80.0 MB long; at most 71.0 MB are read');
});
