import { run, type RunOptions } from '../../helpers/run.js';

/** The rows of `svc doctor` to a pipe that are neither in order nor skipped. */
export async function found(options: RunOptions, line = 'doctor') {
  const { code, stdout } = await run(line, options);
  const rows = stdout.split('\n').filter((row) => /\t(?:warning|problem)\t/.test(row));
  return { code, rows };
}
