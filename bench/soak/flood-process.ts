/** A process that writes numbered lines to stdout, as many kilobytes as told, and ends with a word on stderr. */
import { TextBatch, fileStream, isFile } from '../../src/terminal/writer.js';
import { TerminalOutput } from '../../src/terminal/output.js';

const [kilobytes = '0'] = process.argv.slice(2);

async function flood(): Promise<void> {
  const out = new TerminalOutput({
    streams: { stdout: isFile(1) ? fileStream(1) : process.stdout, stderr: process.stderr },
    env: process.env,
    quiet: false,
    onStdoutFailure: () => undefined,
  });
  const batch = new TextBatch((text) => out.text(text));
  try {
    for (let line = 0; line < Number(kilobytes); line++) {
      batch.add(`${String(line).padEnd(1023, '.')}\n`);
      await batch.pace();
    }
    await batch.flush();
    await out.flush();
    out.note('done');
  } catch (error) {
    out.note(String(error));
    process.exitCode = 1;
  }
  await out.flush().catch(() => undefined);
}

void flood();
