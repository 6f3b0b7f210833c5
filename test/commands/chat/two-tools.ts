/** A home with two tools, and a model that calls both. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { run, type RunOptions } from '../../helpers/run.js';

const word = { type: 'string', pattern: '^(a+)+$' };
const properties = { city: { type: 'string' }, list: { type: 'array' }, word };
const parameters = { type: 'object', properties, required: ['city'] };

/** A home with these tools, by their commands; each appends its argument to the file RAN. */
function homeWith(tools: Readonly<Record<string, string>>) {
  const home = testFolder();
  mkdirSync(join(home, 'tools'));
  const ran = join(home, 'ran');
  for (const [name, script] of Object.entries(tools)) {
    const line = `echo "${name} $2" >> ${ran}; ${script.replaceAll('RAN', ran)}`;
    const file = { description: name, parameters, argv: ['sh', '-c', line, 'sh', '--', '{city}'] };
    writeFileSync(join(home, `tools/${name}.json`), JSON.stringify(file));
  }
  const lines = () => (existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n').sort() : []);
  return { home, ran: Object.assign(lines, { file: ran }) };
}

export const weather = { name: 'weather', arguments: { city: 'Oslo' } };
export const time = { name: 'time', arguments: { city: 'Rome' } };
export const calls = {
  match: { last: 'user' },
  reply: 'I look.',
  toolCalls: [weather, time],
} as const;
export const answers = { reply: 'Rain at noon.' };

/** Runs lines in a home with two tools, against these rules. */
export function twoTools(rules: object[] = [calls, answers], tools = {}) {
  const { home, ran } = homeWith({ weather: 'echo rain', time: 'echo noon', ...tools });
  const env = localScript(...rules);
  const svc = (line: string, options: RunOptions = {}) =>
    run(`--local chat ${line}`, { home, env, ...options });
  const ask = (line: string, options?: RunOptions) =>
    svc(`-m local/script --tool weather --tool time ${line} what?`, options);
  return { env, home, ran, svc, ask };
}
