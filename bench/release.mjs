// The ratios of the last release: a figure that is worse by more than 5 % fails, with its name.
// BENCH_RENEW=1 writes those of this run in their place.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dirname, 'release.json');
const tolerance = 1.05;
const node = Number.parseInt(process.versions.node, 10);
const isRenewed = Boolean(process.env['BENCH_RENEW']);
const release = JSON.parse(readFileSync(path, 'utf8'));
const ratios = {};

/** Remembers a figure: the ratio of minima of CPU time, the steadiest one of a run. */
export function remember(name, ratio) {
  ratios[name] = Number(ratio.toFixed(3));
}

/** Compares what was remembered with the release, or renews it. */
export function compareWithRelease() {
  if (isRenewed) {
    writeFileSync(path, `${JSON.stringify({ node, ratios }, null, 2)}\n`);
    return;
  }
  if (release.node !== node) {
    console.log(`\nnot compared: the release was measured with Node ${release.node}`);
    return;
  }
  for (const [name, ratio] of Object.entries(ratios)) {
    const before = release.ratios[name];
    if (before === undefined || ratio <= before * tolerance) continue;
    console.error(`worse than the release: ${name}: CPU ${ratio}, was ${before}`);
    process.exitCode = 1;
  }
}
