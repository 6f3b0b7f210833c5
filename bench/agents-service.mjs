// The embedded service for one task of bench/agents.mjs: an account and a folder of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';

const key = 'sk-svc-local';
const files = {
  'key.txt': `${key}\n`,
  'screen.png': PNG.sync.write(new PNG({ width: 8, height: 8 })),
  'q.jsonl': Array.from({ length: 50 }, (_, nth) =>
    JSON.stringify({ custom_id: `q${nth}`, prompt: `Question ${nth}` }),
  ).join('\n'),
};
/** What local/script answers; to a batch so slowly that it can be interrupted. */
const rules = [
  { match: 'the lamp', reply: { items: [{ name: 'lamp', priceRub: 1250.5 }] } },
  { match: 'Question', delayMs: 50, reply: 'An answer.' },
  { reply: 'It asks models and makes pictures.' },
];

export class Service {
  /** All that belongs to the task. */
  #root = mkdtempSync(join(tmpdir(), 'svc-agents-'));
  /** The current folder of the agent. */
  folder = join(this.#root, 'work');
  #log = '';

  /** @param svc the words that start svc */
  constructor(svc) {
    this.svc = svc;
  }

  async start() {
    mkdirSync(this.folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    const script = join(this.#root, 'script.json');
    writeFileSync(script, JSON.stringify({ rules }));
    const home = join(this.#root, 'home');
    /** The environment of what the agent starts. */
    this.env = { PATH: process.env.PATH, HOME: home, SVC_CONFIG_DIR: home, SVC_API_KEY: key };
    const given = `serve --port 0 --memory --job-time 1500ms --reply-time 10ms --script ${script}`;
    const [command, ...words] = [...this.svc, ...given.split(' ')];
    this.child = spawn(command, words, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stderr.on('data', (piece) => (this.#log += piece));
    const [line] = await once(this.child.stdout, 'data');
    this.env.SVC_BASE_URL = String(line).trim();
  }

  /** Resolves when the log shows so many requests to this path. */
  async shows(path, count = 1) {
    while (this.#log.split(` ${path}`).length <= count) await once(this.child.stderr, 'data');
  }

  async get(path) {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(this.env.SVC_BASE_URL + path, { headers })).json();
  }

  /** What was charged, in RUB, and how many records say so. @throws Error where the balance does not */
  async charges() {
    const { balance_rub: balanceRub } = await this.get('/v1/balance');
    const { data } = await this.get('/v1/generations?limit=100');
    const priceRub = data.reduce((sum, record) => sum + record.priceRub, 0);
    if (Math.abs(1000 - balanceRub - priceRub) > 1e-6)
      throw new Error(`the balance is ${balanceRub} RUB after ${priceRub} RUB`);
    return { priceRub, records: new Set(data.map(({ id }) => id)).size };
  }

  async end() {
    const closed = once(this.child, 'close');
    this.child.kill();
    await closed;
    rmSync(this.#root, { recursive: true, maxRetries: 3 });
  }
}
