/** `svc batch run` as processes of their own, over an input of these lines. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf } from '../../src/lib/json.js';
import { start, svc } from '../../test/bin/svc.js';
import { testFolder } from '../../test/helpers/folder.js';

export function batchProcesses(
  lines: readonly string[],
  service: Readonly<Record<string, string>>,
  { atOnce, folder = testFolder() }: { readonly atOnce: number; readonly folder?: string },
) {
  const options = { env: { ...service, SVC_CONFIG_DIR: testFolder() } };
  const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
  writeFileSync(input, lines.join(''));
  const words = ['batch', 'run', input, '-o', output, '--concurrency', `${atOnce}`];
  return {
    folder,
    input,
    output,
    options,
    start: (more: readonly string[] = []) => start([...words, ...more], options),
    run: (more: readonly string[] = []) => svc([...words, ...more], options),
    /** The custom_ids of OUT, each line of which is whole. */
    done: () =>
      readFileSync(output, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => recordOf(JSON.parse(line))['custom_id'])
        .sort(),
  };
}
