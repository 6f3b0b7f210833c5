/** Starts get-process.ts with an environment of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { bundle, bundleEnv } from '../helpers/bundle.js';

const Report = z.object({
  results: z.array(
    z.object({
      status: z.optional(z.number()),
      text: z.optional(z.string()),
      reason: z.optional(z.string()),
      sent: z.optional(z.boolean()),
      message: z.optional(z.string()),
    }),
  ),
  loaded: z.array(z.string()),
});

let script: Promise<string> | undefined;

/** Requests made one after the other in a new process. */
export async function runChild(
  env: Readonly<Record<string, string>>,
  ...urls: readonly string[]
): Promise<z.output<typeof Report>> {
  script ??= bundle('test/http/get-process.ts');
  const args = [await script, ...urls];
  const own = { ...bundleEnv, NODE_EXTRA_CA_CERTS: '', ...proxiesUnset, ...env };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: own });
  return Report.parse(JSON.parse(stdout));
}

const proxiesUnset = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']
    .flatMap((name) => [name, name.toUpperCase()])
    .map((name) => [name, undefined]),
);
