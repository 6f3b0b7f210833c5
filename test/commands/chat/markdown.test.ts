import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunks, fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { run } from '../../helpers/run.js';
import { readable } from '../../terminal/styled.js';

const echo = '--local chat -m local/echo';
const script = '--local chat -m local/script ok';
const reply = '# A **b**\n\n- `c`\n\n```sh\necho *d*\n```\n';
const screen = { tty: { stdout: true } };

describe.each(['chat', 'messages', 'responses'] as const)('an answer in %s', (format) => {
  it('is styled Markdown on a terminal, however it is cut', async () => {
    for (const chunkSize of [1, 3, 1000]) {
      const env = localScript({ reply, chunkSize });
      const result = await run(`${script} --format ${format}`, { ...screen, env });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(readable(result.stdout)).toBe(
        '⟨b:# A **b**⟩\n\n⟨d:-⟩ ⟨c:`c`⟩\n\n⟨d:```sh⟩\n⟨c:echo *d*⟩\n⟨d:```⟩\n',
      );
    }
  });
});

describe('the Markdown of an answer', () => {
  it.each([
    ['to a pipe', {}],
    ['to a pipe beside a terminal', { tty: { stdin: false, stderr: true } }],
    ['under NO_COLOR', { ...screen, env: { NO_COLOR: '1' } }],
    ['on a dumb terminal', { ...screen, env: { TERM: 'dumb' } }],
  ])('goes as it came %s', async (_, options) => {
    const result = await run(echo, { ...options, stdin: reply });
    expect(result).toMatchObject({ code: 0, stdout: reply });
  });

  it('goes as it came to a file, and into -x, --json and --events', async () => {
    const file = join(testFolder(), 'a.md');
    const env = localScript({ reply });
    expect(await run(`${script} -o ${file}`, { ...screen, env })).toMatchObject({ stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(reply);
    const extracted = await run(`${script} -x`, { ...screen, env });
    expect(extracted).toMatchObject({ code: 0, stdout: 'echo *d*\n', stderr: '' });
    const asJson = await run(`${script} --json`, { ...screen, env });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ text: reply });
    const asEvents = await run(`${script} --events`, { ...screen, env });
    expect(asEvents.stdout).not.toContain('\u001b');
  });

  it('stands apart from the reasoning, of which it keeps its styles', async () => {
    const shown: string[] = [];
    const onText = (text: string) => shown.push(text);
    await run(`${script} --reasoning-effort low`, {
      env: localScript({ reasoning: '*Hm*', reply: '**Yes' }),
      tty: true,
      onStdout: onText,
      onStderr: onText,
    });
    expect(readable(shown.join(''))).toMatch(/^⟨d:\*Hm\*⟩\n⟨b:\*\*Yes⟩\n⟨d:\d+ in, [^⟩]+⟩\n$/);
  });

  it('leaves no style open where the person interrupts, and loses no mark', async () => {
    const interrupt = new AbortController();
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunks('**a *'));
    });
    const { stdout } = await run('chat -m m hi', {
      ...screen,
      env: service.env,
      signal: interrupt.signal,
      onStdout: () => {
        interrupt.abort(new Error('interrupted'));
      },
    });
    expect(readable(stdout)).toBe('⟨b:**a *⟩\n');
  });
});
