// npm run bench:agents: how many calls a coding agent needs for a task, and how much it has to read,
// as commands and as tools of `svc mcp`, against the embedded service. It fails where a goal is
// missed, a result is wrong, or what was charged is not what the task costs.
//   node bench/agents.mjs [--no-times] [the words that start svc]
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Service } from './agents-service.mjs';
import { tasks } from './agents-tasks.mjs';
import { Commands, Tools } from './agents-ways.mjs';
import { interleave, median, time } from './measure.mjs';
import { initialize } from './mcp.mjs';

const goals = { calls: 3, bytes: 12_000, ratio: 2.1 };
const { positionals, values } = parseArgs({
  options: { 'no-times': { type: 'boolean' } },
  allowPositionals: true,
});
const bin = join(import.meta.dirname, '../bin/svc.cjs');
const svc = positionals.length > 0 ? positionals : [process.execPath, bin];
const ways = { tools: Tools, commands: Commands };

/** Does a task in one way, with an account of its own. */
async function done({ before = [], stop, records, check, ...task }, way) {
  const service = new Service(svc);
  await service.start();
  const agent = new ways[way](service);
  const faults = [];
  let priceRub = 0;
  try {
    for (const line of before) await new Commands(service).call(line);
    await agent.start();
    const results = [];
    for (const [at, call] of task[way].entries()) {
      const given = typeof call === 'function' ? call(results, service) : call;
      results.push(await agent.call(given, at === 0 && stop && { ...stop, by: stop.by[way] }));
    }
    await check(results, service);
  } catch ({ message }) {
    faults.push(message.replaceAll(/\s+/g, ' ').slice(0, 300));
  }
  try {
    await agent.end();
    const charged = await service.charges();
    priceRub = charged.priceRub;
    if (charged.records !== records) faults.push(`${charged.records} charges, not ${records}`);
  } finally {
    await service.end();
  }
  const { calls, bytes } = agent;
  if (calls > goals.calls) faults.push(`more than ${goals.calls} calls`);
  if (bytes > goals.bytes) faults.push(`more than ${goals.bytes} bytes`);
  return { calls, bytes, priceRub: priceRub.toFixed(2), faults };
}

function show(task, way, figures, words) {
  const cells = figures.map((one) => String(one).padStart(7));
  console.log([task.padEnd(32), way.padEnd(8), ...cells, '', words].join(' '));
}

const missed = [];
show('task', 'way', ['calls', 'bytes', 'RUB'], 'ok');
for (const task of tasks) {
  for (const way of Object.keys(ways)) {
    if (!task[way]) {
      show(task.name, way, ['-', '-', '-'], 'no tool');
      continue;
    }
    const { calls, bytes, priceRub, faults } = await done(task, way);
    const note = way === 'tools' && task.note ? `yes (${task.note})` : 'yes';
    show(task.name, way, [calls, bytes, priceRub], faults.join('; ') || note);
    missed.push(...faults.map((words) => `${task.name}, ${way}: ${words}`));
  }
}

if (!values['no-times']) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const empty = join(folder, 'empty.cjs');
  writeFileSync(empty, '');
  const mcp = () => initialize([...svc, '--local', 'mcp'], { SVC_CONFIG_DIR: folder });
  const times = await interleave({ node: () => time([process.execPath, empty]), mcp }, 31);
  const ratio = (median(times.mcp) / median(times.node)).toFixed(2);
  show('initialize / bare node', 'tools', [ratio, '', ''], `≤ ${goals.ratio}`);
  if (ratio > goals.ratio) missed.push(`initialize takes ${ratio} × bare node`);
}
for (const words of missed) console.error(`missed: ${words}`);
if (missed.length > 0) process.exitCode = 1;
