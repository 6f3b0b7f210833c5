/** Prints the version, or compares the files of svc with the sums of its release. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Handler } from '../../context.js';
import { NegativeResult, NothingSent, UsageError } from '../../errors.js';
import { readText } from '../../files/named-file.js';
import { createTransport } from '../../http/attempt.js';
import { pageText } from '../../http/download/page.js';
import { isWebAddress } from '../../lib/address.js';
import { shellWord } from '../../lib/names.js';
import { sourceHash } from '../../media/sources.js';
import { installation, isSingleBinary } from './installation.js';
import type { version } from './index.js';

/** Where releases are; put in by the build, and empty where package.json names no repository. */
declare const RELEASES: string | undefined;

export const run: Handler<typeof version> = async (context, { options }) => {
  const { flags, out, version } = context;
  if (!options.verify) return flags.json ? out.json({ version }) : out.line(version);
  const { by, path } = installation();
  const sums = options.sums ?? addressFor(version);
  const released = releasedIn(await textOf(context, sums), version);
  const differing: string[] = [];
  // What was added is not as released either.
  const names = new Set([...released.keys(), ...(isSingleBinary ? [] : filesOf(path))]);
  for (const name of names) {
    const file = isSingleBinary ? path : join(path, name);
    const sum = await sourceHash({ path: file }).catch(() => '');
    if (!released.get(name)?.includes(sum)) differing.push(name);
  }
  const verified = differing.length === 0;
  if (flags.json) await out.json({ version, by, path, sums, verified, differing });
  else {
    const what = isSingleBinary ? path : `the ${names.size} files of svc in ${path}`;
    const verdict = verified ? 'as released' : 'not as released';
    const list = isSingleBinary || verified ? '' : `: ${differing.join(', ')}`;
    await out.line(`compared ${what} with ${sums}: svc ${version} is ${verdict}${list}`);
  }
  if (verified) return;
  const nix = 'Nix changes it on installation; verify its copy: nix-store --verify-path';
  if (!flags.json) out.error(by === 'Nix' ? nix : 'install it again from the release', 'hint:');
  throw new NegativeResult();
};

function addressFor(version: string): string {
  if (typeof RELEASES === 'string' && RELEASES) return `${RELEASES}/v${version}/SHA256SUMS`;
  throw noSums(version, 'package.json of this build names no repository');
}

function noSums(version: string, reason: string): UsageError {
  return new UsageError(`there are no sums of svc ${version}: ${reason}`, {
    code: 'no_release',
    hint: `download SHA256SUMS of the release ${version}, and name it with --sums`,
  });
}

function filesOf(path: string): string[] {
  const folders = ['bin', 'dist'].filter((folder) => existsSync(join(path, folder)));
  return folders.flatMap((one) => readdirSync(join(path, one)).map((name) => `${one}/${name}`));
}

async function textOf(context: Context, sums: string): Promise<string> {
  const { curl, dryRun } = context.flags;
  if (!isWebAddress(sums)) return readText(sums, '--sums');
  if (curl) throw new NothingSent({ shell: `curl -sSL ${shellWord(sums)}` });
  if (dryRun) throw new NothingSent({ json: { method: 'GET', url: sums } });
  const transport = createTransport({ env: context.env });
  return pageText(sums, '--verify', { ...context, transport });
}

/** The sums by the file: several of the binary, which the release has for each system. */
function releasedIn(text: string, version: string): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  const own = isSingleBinary ? `svc-${version}-` : `svc-cli-${version}`;
  const lines = text.matchAll(/^([0-9a-f]{64}) [ *]([^\s/]+)\/((?:bin\/|dist\/)?[\w.-]+)\r?$/gm);
  for (const [, sum = '', folder = '', path = ''] of lines) {
    if (!folder.startsWith(own)) continue;
    const name = isSingleBinary ? 'svc' : path;
    files.set(name, [...(files.get(name) ?? []), sum]);
  }
  if (files.size === 0) throw noSums(version, 'the file has none');
  return files;
}
