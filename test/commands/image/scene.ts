/** svc image against a service that makes images as a test wants. */
import type { Reply } from '../../helpers/fake-media.js';
import type { RunOptions } from '../../helpers/run.js';
import { scene } from '../generate/scene.js';
import { killedIn } from '../../helpers/state.js';

/** The header that every answer carries (section 2.12). */
export const named = { 'x-svc-media-job-id': 'job_7' };

/** The job behind each image is job_7. */
export async function imageScene(reply?: Reply) {
  const base = await scene();
  const link = `${base.origin}/api/media/file/job_7/0?sig=s`;
  /** The answer with an image. */
  const made: Reply = { json: { created: 1, data: [{ url: link }] }, headers: named };
  /** What GET /v1/images/generations lists. */
  const listed: object[] = [];
  const at = {
    ...base,
    listed,
    made,
    /** What POST /v1/images/generations answers. */
    reply: reply ?? made,
    create: (more: readonly string[] = [], options: RunOptions = {}) => {
      const line = ['image', 'create', '-m', 'vendor/canvas', 'a lighthouse'];
      return base.svc([...line, '-o', `${base.folder}/`, ...more], options);
    },
    /** How often an image was asked for. */
    posts: () =>
      base.requests.filter(
        ({ method, url }) => method === 'POST' && url === '/v1/images/generations',
      ).length,
    /** An image of the list, made now. */
    item: (id: string, changes = {}): object => {
      // By the clock of the service, which its answers tell in their date.
      const created = Math.floor(Date.now() / 1000);
      const item = { id, model: 'vendor/canvas', status: 'succeeded', created, cost_rub: 2.4 };
      return { ...item, ...changes };
    },
    /** The ledger as if svc had been killed before any answer came. */
    killed: () => killedIn(base.home),
  };
  const resultsExpireAt = '2030-01-01T00:00:00.000Z';
  const job = { status: 'success', resultUrls: [link], priceRub: 2.4, resultsExpireAt };
  base.on(/job_7$/, { answer: { json: job } });
  base.on('openapi.get', { answer: { json: {} } });
  base.on('images.list', { answer: () => ({ json: { object: 'list', data: at.listed } }) });
  base.on('images.create', { answer: () => at.reply });
  return at;
}
