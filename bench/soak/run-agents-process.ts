/** Runs commands one after another with `svc serve` in one network, and prints what came of each. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';

const words = z.tuple([z.string()], z.string());
const Given = z.object({
  serve: words,
  commands: z.array(words),
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  timeoutMs: z.number(),
});

async function run(given: string): Promise<void> {
  const { serve, commands, env, cwd, timeoutMs } = Given.parse(JSON.parse(given));
  const [bin, ...flags] = serve;
  const service = spawn(bin, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [first]: unknown[] = await once(service.stdout, 'data');
  const all = { ...env, SVC_BASE_URL: String(first).trim() };
  const ends: object[] = [];
  for (const [command, ...more] of commands) {
    const child = spawn(command, more, {
      ...{ env: all, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code]: unknown[] = await once(child, 'exit');
    const [stdout, stderr] = await said;
    ends.push({ code, stdout, stderr });
  }
  service.kill();
  process.stdout.write(JSON.stringify(ends));
}

run(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
