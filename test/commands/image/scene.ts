/** svc image against a service that makes images as a test wants. */
import type { Reply } from '../../helpers/fake-media.js';
import type { RunOptions, RunResult } from '../../helpers/run.js';
import { scene, type Scene } from '../generate/scene.js';
import { changeLedger } from '../../helpers/state.js';

/** The header that every answer carries (section 2.12). */
export const named = { 'x-svc-media-job-id': 'job_7' };

export interface ImageScene extends Scene {
  /** What GET /v1/images/generations lists. */
  listed: object[];
  /** What POST /v1/images/generations answers. */
  reply: Reply;
  /** The answer with an image. */
  readonly made: Reply;
  /** From now on its OpenAPI document says that it knows Idempotency-Keys of images. */
  knowsKeys(): void;
  create(more?: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** How often an image was asked for. */
  posts(): number;
  /** An image of the list, made now. */
  item(id: string, changes?: object): object;
  /** The ledger as if svc had been killed before any answer came. */
  killed(): void;
}

/** The job behind each image is job_7. */
export async function imageScene(reply?: Reply): Promise<ImageScene> {
  const base = await scene();
  const link = `${base.origin}/api/media/file/job_7/0?sig=s`;
  const made = { json: { created: 1, data: [{ url: link }] }, headers: named };
  let openApi = {};
  const at: ImageScene = {
    ...base,
    listed: [],
    made,
    reply: reply ?? made,
    knowsKeys: () => {
      const post = { parameters: [{ name: 'Idempotency-Key', in: 'header' }] };
      openApi = { paths: { '/v1/images/generations': { post } } };
    },
    create: (more = [], options = {}) => {
      const line = ['image', 'create', '-m', 'vendor/canvas', 'a lighthouse'];
      return base.svc([...line, '-o', `${base.folder}/`, ...more], options);
    },
    posts: () =>
      base.requests.filter(
        ({ method, url }) => method === 'POST' && url === '/v1/images/generations',
      ).length,
    item: (id, changes = {}) => {
      // By the clock of the service, which its answers tell in their date.
      const created = Math.floor(Date.now() / 1000);
      const item = { id, model: 'vendor/canvas', status: 'succeeded', created, cost_rub: 2.4 };
      return { ...item, ...changes };
    },
    killed: () => {
      base.leave();
      changeLedger(base.home, (texts) =>
        texts.filter((text) => text.includes('"wanted"')).slice(0, 1),
      );
    },
  };
  base.media.instead = ({ method, url }) => {
    if (url.startsWith('/v1/images/generations')) {
      const list = { json: { object: 'list', data: at.listed } };
      return method === 'POST' ? at.reply : list;
    }
    if (url === '/api/openapi') return { json: openApi };
    if (url !== '/api/media/jobs/job_7') return undefined;
    const resultsExpireAt = '2030-01-01T00:00:00.000Z';
    return { json: { status: 'success', resultUrls: [link], priceRub: 2.4, resultsExpireAt } };
  };
  return at;
}
