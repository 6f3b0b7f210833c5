// npm run bench: how fast svc is, as ratios measured side by side in one run.
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchDownloads } from './download.mjs';
import { firstEvent } from './first-event.mjs';
import { benchLimit } from './limit.mjs';
import { benchLink } from './link.mjs';
import { benchLedger } from './ledger.mjs';
import { benchLists } from './lists.mjs';
import { benchLogSearch } from './log-search.mjs';
import { interleave, median, peakOf, report, reportFigure, time, timeIntoCat } from './measure.mjs';
import { initialize } from './mcp.mjs';
import { compareWithRelease } from './release.mjs';
import { benchResume } from './resume.mjs';
import { benchPosts } from './posts.mjs';
import { benchProxy } from './proxy.mjs';
import { benchServe } from './serve.mjs';
import { benchShards } from './shards.mjs';
import { benchUploads } from './upload.mjs';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 31);
const streamRounds = Number(process.env['BENCH_STREAM_ROUNDS'] ?? 7);
const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const empty = join(scratch, 'empty.cjs');
writeFileSync(empty, '');
const svc = [process.execPath, join(root, 'bin/svc.cjs')];

const server = fork(join(import.meta.dirname, 'server.mjs'));
const port = await new Promise((resolve) => server.once('message', resolve));
const url = `http://127.0.0.1:${port}`;
const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-bench', SVC_CONFIG_DIR: scratch };

console.log(`node ${process.versions.node}, ${rounds} rounds, streams ${streamRounds}\n`);
console.log(`${'work'.padEnd(44)}  ratio   minima    CPU    subject       base            limit`);

const local = { SVC_CONFIG_DIR: join(scratch, 'local') };
const starts = (program) => ({
  version: () => time([...program, '--version']),
  balance: () => time([...program, 'balance', '--json'], env),
  localBalance: () => time([...program, '--local', 'balance', '--json'], local),
  localChat: () => time([...program, '--local', 'chat', 'hi'], local),
  // It is looked up in the manual.
  localAnswer: () => time([...program, '--local', 'chat', 'how do I save a picture?'], local),
});
const node = () => time([process.execPath, empty]);
const help = () => time([...svc, '--help']);
const mcp = () => initialize([...svc, 'mcp'], env);
const onNode = await interleave({ node, ...starts(svc), help, mcp }, rounds);
report('svc --version / bare node', onNode, 'version', 'node', '≤ 1.1');
report('svc --help / bare node', onNode, 'help', 'node', '≤ 1.5, then 1.1');
report('svc balance --json / bare node', onNode, 'balance', 'node', '≤ 2.2');
report('svc --local balance / bare node', onNode, 'localBalance', 'node', '≤ 3');
report('svc --local chat / bare node', onNode, 'localChat', 'node', '≤ 3.3');
report('svc --local chat, from the manual / bare node', onNode, 'localAnswer', 'node', '≤ 4.2');
report('svc mcp to its first answer / bare node', onNode, 'mcp', 'node', '≤ 2.1');

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const binary = join(root, `release/svc-${version}-linux-${process.arch}/svc`);
if (existsSync(binary)) {
  const alone = await interleave({ node, ...starts([binary]) }, rounds);
  report('binary --version / bare node', alone, 'version', 'node', '≤ 0.45');
  report('binary balance --json / bare node', alone, 'balance', 'node', '≤ 1.3');
  report('binary --local balance / bare node', alone, 'localBalance', 'node', '≤ 1.9');
  report('binary --local chat / bare node', alone, 'localChat', 'node', '');
}

const kinds = ['mix', 'plain', 'cyrillic', 'breaks', 'code', 'reasoning', 'obfuscation'];
const streamOf = (kind) => () =>
  timeIntoCat([...svc, 'chat', '-m', 'm', 'hi'], { ...env, SVC_BASE_URL: `${url}/${kind}` });
const curl = ['curl', '-sN', '-X', 'POST', '-d', '{}', `${url}/mix/v1/chat/completions`];
const streams = await interleave(
  {
    curl: () => timeIntoCat(curl),
    ...Object.fromEntries(kinds.map((kind) => [kind, streamOf(kind)])),
  },
  streamRounds,
);
report('200,000 chat chunks to a pipe / curl -sN', streams, 'mix', 'curl', '≤ 3');
report('the same, processor time', streams, 'mix CPU', 'curl CPU', '');
for (const kind of kinds.slice(2)) {
  report(`${kind} / plain text, processor time`, streams, `${kind} CPU`, 'plain CPU', '≤ 1.4');
}
const { mb } = peakOf([...svc, 'chat', '-m', 'm', '-q', 'hi'], env);
reportFigure('200,000 chat chunks, most memory', `${mb.toFixed(0)} MB`, '≤ 75 MB');

const firsts = await interleave(
  {
    curl: () => firstEvent((base) => ['curl', '-sN', '-X', 'POST', `${base}/v1/chat/completions`]),
    svc: () => firstEvent((base) => [...svc, '--base-url', base, 'chat', '-m', 'm', 'hi'], env),
  },
  rounds,
);
const medianAndMinimum = (times) =>
  `${median(times).toFixed(2)} (${Math.min(...times).toFixed(2)})`;
const firstFigure = `${medianAndMinimum(firsts.svc)} ms, curl ${medianAndMinimum(firsts.curl)} ms`;
reportFigure("server's first event to stdout", firstFigure, '≤ 1.6 ms');
server.kill();

await benchLink(svc, scratch, rounds);
await benchLogSearch(svc, 15);
await benchLists(svc);
benchLedger(svc);
benchResume(svc, 5);
await benchPosts(svc, 7);
await benchUploads();
await benchDownloads();
await benchServe();
await benchProxy();
await benchShards();
await benchLimit(svc);
compareWithRelease();
