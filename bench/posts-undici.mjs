// The same posts with undici alone, with the journal and the output of a batch: what is sent is in
// the journal on the disk first. It checks no line, keeps no money and learns no limits.
import { hash } from 'node:crypto';
import { fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import v8 from 'node:v8';

v8.setFlagsFromString('--liftoff-only');
const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
const [url, input, out, atOnce] = process.argv.slice(2);
const lines = readFileSync(input, 'utf8').split('\n').map(JSON.parse);
const [output, journal] = [openSync(out, 'w'), openSync(`${out}.sent`, 'w')];
const pool = new Pool(url, { connections: Number(atOnce) });
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-svc-bench' };
const hash16 = (text) => hash('sha256', text).slice(0, 16);
let [taken, done, inFlight, answers] = [0, 0, 0, ''];
let isDue = true;

/** Once for all that has happened in a turn of the event loop. */
function turn() {
  isDue = false;
  if (answers !== '') writeSync(output, answers);
  answers = '';
  if (done === lines.length) return void pool.close();
  const wave = lines.slice(taken, taken + Number(atOnce) - inFlight);
  if (wave.length === 0) return;
  taken += wave.length;
  inFlight += wave.length;
  const bodies = wave.map(({ body }) => JSON.stringify(body));
  const record = ({ custom_id: id }, nth) => `+${hash16(bodies[nth])} ${JSON.stringify(id)}\n`;
  writeSync(journal, wave.map(record).join(''));
  fdatasync(journal, () => wave.forEach((line, nth) => send(line, bodies[nth])));
}

function send({ custom_id: id, url: path }, body) {
  const pieces = [];
  pool.dispatch(
    { method: 'POST', path, headers, body },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_, piece) => void pieces.push(piece),
      onResponseError: (_, error) => {
        throw error;
      },
      onResponseEnd: () => {
        const answer = Buffer.concat(pieces).toString();
        const { cost_rub } = JSON.parse(answer).usage;
        answers += `{"id":"batch_req_${hash16(id)}","custom_id":${JSON.stringify(id)},"response":{"status_code":200,"body":${answer}},"svc":${JSON.stringify({ cost: { priceRub: cost_rub } })}}\n`;
        inFlight -= 1;
        done += 1;
        if (!isDue) setImmediate(turn);
        isDue = true;
      },
    },
  );
}

turn();
