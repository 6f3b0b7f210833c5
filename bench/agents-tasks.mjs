// The tasks of bench/agents.mjs: the fewest calls that lead to each, and what must be true afterwards.
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { PNG } from 'pngjs';

const model = 'local/script';
const prompt = 'a lighthouse';
const schema = '{"type":"object","required":["items"],"properties":{"items":{"type":"array"}}}';
const picture = (rub) => `image create "${prompt}" -o a.png --max-cost ${rub} --json`;
const job = `generate image "${prompt}" -o a.png --max-cost 3 --json`;
const video = (rest) => `generate local/reel ${rest} --max-cost 15 --json`;
const batch = `batch run q.jsonl -o a.jsonl -m ${model} --max-cost 5 --json`;
const ticket = { subject: 'Answers stop early', message: 'They stop after a line.' };

/** That the last result names a picture of this size, and what it cost. */
function isPicture(results) {
  const { json } = results.at(-1);
  ok(json.files, JSON.stringify(json));
  const { width, height } = PNG.sync.read(readFileSync(json.files[0].path));
  deepEqual([width, height, json.cost.priceRub], [1024, 1024, 2.4]);
}

function areVideos(results) {
  const paths = results.map(({ json }) => [json].flat()[0].files[0].path);
  equal(new Set(paths).size, results.length);
  for (const path of paths) equal(readFileSync(path).toString('latin1', 4, 8), 'ftyp');
}

const linesIn = ({ folder }, name) => readFileSync(join(folder, name), 'utf8').trim().split('\n');

/** While a picture is made: that request is logged only at its end, 1.5 s after it was sent. */
const whileMaking = (service) => service.shows('/api/media/price').then(() => after(500));
const whenAccepted = (service) => service.shows('/api/media/generate');
const atTenAnswers = (service) => service.shows('/v1/chat/completions', 10);

/** A job that is stopped when it was accepted, and asked for again. */
const stoppedJob = (name, by) => ({
  name,
  records: 1,
  stop: { when: whenAccepted, by },
  commands: [job, job],
  tools: Array(2).fill(['generate', { model: 'image', prompt, maxCost: 3 }]),
  check: isPicture,
});

/**
 * Each task: how many usage records it leads to, the calls of each way (a function makes one from the
 * results before it), when and by what the first is stopped, and the check of the results.
 */
export const tasks = [
  {
    name: 'log in; the balance',
    note: 'the user logs in',
    records: 0,
    commands: ['login --with-key < key.txt', 'balance --json'],
    tools: [['balance', {}]],
    check: (results) => equal(results.at(-1).json.balance_rub, 1000),
  },
  {
    name: 'an answer, and what it cost',
    records: 1,
    commands: [`chat -m ${model} "What is svc for?" --json`, 'usage list --limit 1 --json'],
    tools: [
      ['chat', { prompt: 'What is svc for?', model }],
      ['usage_list', { limit: 1 }],
    ],
    check([{ json: answer }, { json: usage }]) {
      const { priceRub, balanceRub } = answer.cost;
      deepEqual([usage.data[0].priceRub, balanceRub], [priceRub, 1000 - priceRub]);
    },
  },
  {
    name: 'a picture, killed, again',
    records: 1,
    stop: { when: whileMaking, by: { commands: 'SIGKILL', tools: 'SIGKILL' } },
    commands: [picture(3), picture(3)],
    tools: Array(2).fill(['image_create', { prompt, maxCost: 3 }]),
    check: isPicture,
  },
  stoppedJob('a job, killed, again', { commands: 'SIGKILL', tools: 'SIGKILL' }),
  stoppedJob('a job, cancelled, again', { commands: 'SIGINT', tools: 'cancel' }),
  {
    name: 'two videos',
    records: 2,
    commands: [video('"waves" -o out/'), video('"rain" -o out/')],
    tools: ['waves', 'rain'].map((prompt) => [
      'generate',
      { model: 'local/reel', prompt, maxCost: 15 },
    ]),
    check: areVideos,
  },
  {
    name: 'a video, collected later',
    records: 1,
    commands: [video('"waves" --no-wait'), 'jobs wait @last -o out/ --json'],
    tools: [
      ['generate', { model: 'local/reel', prompt: 'waves', wait: false, maxCost: 15 }],
      ([{ json }]) => ['jobs_wait', { id: [json.id] }],
      ([{ json }]) => ['jobs_download', { id: [json.id] }],
    ],
    check: (results) => areVideos(results.slice(-1)),
  },
  {
    name: 'an answer that fits a schema',
    records: 1,
    commands: [`chat -m ${model} "the lamp" --schema '${schema}' --json`],
    tools: [['chat', { prompt: 'the lamp', model, schema }]],
    check: ([{ json }]) => equal(JSON.parse(json.text).items[0].priceRub, 1250.5),
  },
  {
    name: 'a batch of 50, interrupted',
    records: 50,
    stop: { when: atTenAnswers, by: { commands: 'SIGINT' } },
    commands: [batch, batch],
    check([stopped, { json }], service) {
      ok(stopped.json.left > 0);
      const ids = linesIn(service, 'a.jsonl').map((line) => JSON.parse(line).custom_id);
      deepEqual([json.done, ids.length, new Set(ids).size], [50, 50, 50]);
    },
  },
  {
    name: 'what was spent; the log',
    note: 'the log is no tool',
    records: 2,
    before: [`chat -m ${model} "What is svc for?"`, picture(3)],
    commands: ['usage chart --by model --json', 'logs export --all -o log.md'],
    tools: [['usage_chart', { by: 'model' }]],
    check([{ json }, exported], service) {
      ok(json.total.cost.priceRub > 2.4);
      if (exported) ok(linesIn(service, 'log.md').includes('What is svc for?'));
    },
  },
  {
    name: 'a ticket with an image, closed',
    records: 0,
    commands: [
      `tickets create --subject "${ticket.subject}" --message "${ticket.message}" --attach screen.png --json`,
      'tickets reply @last "It works again." --json',
      'tickets close @last --json',
    ],
    tools: [
      (_, { folder }) => ['tickets_create', { ...ticket, attach: [join(folder, 'screen.png')] }],
      ([{ json }]) => ['tickets_reply', { id: json.ticket.id, text: 'It works again.' }],
      ([{ json }]) => ['tickets_close', { id: json.ticket.id }],
    ],
    async check([{ json }], service) {
      const { status, messages } = (await service.get(`/v1/tickets/${json.ticket.id}`)).ticket;
      deepEqual([status, messages[0].attachments[0].mimeType], ['closed', 'image/png']);
      ok(messages.some(({ body }) => body === 'It works again.'));
    },
  },
  {
    name: 'a picture above a price, within',
    records: 1,
    commands: [picture(1), picture(3)],
    tools: [1, 3].map((maxCost) => ['image_create', { prompt, maxCost }]),
    check([refused, ...results]) {
      equal(refused.json.error?.code, 'max_cost', JSON.stringify(refused.json));
      isPicture(results);
    },
  },
];
