import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** The modules that loading a file of the contract loads, itself included. */
async function loadedBy(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/contract/${file}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

const ours = (inputs: readonly string[]) =>
  inputs.flatMap((input) => /src\/contract\/(.+)$/.exec(input)?.[1] ?? []).sort();

test.each(['enums.ts', 'limits.ts', 'brand.ts'])('%s loads no other module', async (file) => {
  const inputs = await loadedBy(file);
  expect(inputs).toHaveLength(1);
  expect(ours(inputs)).toEqual([file]);
});

test('no file of a domain loads the table of all rows', async () => {
  const domains = ['chat.ts', 'billing.ts', 'models.ts', 'media.ts', 'tickets.ts', 'voices.ts'];
  for (const file of domains) expect(ours(await loadedBy(file))).not.toContain('index.ts');
  expect(ours(await loadedBy('describe.ts'))).toContain('index.ts');
});
