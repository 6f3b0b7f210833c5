/** Codes that jobs, images and their money lead to. */
import { expect, it } from 'vitest';
import { imageScene } from '../commands/image/scene.js';
import { scene, type Scene } from '../commands/generate/scene.js';
import { png, refusal, type Reply } from '../helpers/fake-media.js';
import type { ErrorCode } from '../../src/errors.js';
import { reported } from './reported.js';

const dayMs = 24 * 60 * 60_000;
const badGateway: Reply = { status: 502, bytes: Buffer.from('<html></html>') };
const make = 'generate vendor/canvas x';
const started = (at: Scene) => at.svc(`${make} --no-wait`);
const another = (at: Scene) => at.svc('generate vendor/canvas y --no-wait');
const alike = async (at: Scene) => {
  const names = ['job_abcd1', 'job_abcd2'];
  at.media.when('/generate', () => ({ status: 202, json: { jobId: names.shift() } }));
  await started(at);
  await another(at);
};
const withKey = (at: Scene) => at.svc(`${make} --idempotency-key k --no-wait`);
const ofAnother = (at: Scene) =>
  at.svc(`${make} --no-wait`, { env: { SVC_API_KEY: 'sk-svc-another' } });
const expired = async (at: Scene) => {
  await started(at);
  at.media.when('/file/', { status: 410 });
};
const failed = async (at: Scene) => {
  at.media.states = [{ status: 'fail' }];
  await started(at);
  await another(at);
};
const unstarted = (at: Scene) => void (at.media.states = [{ stage: 'submission_not_started' }]);
const unanswered = async (at: Scene) => {
  at.media.when('/generate', badGateway);
  await started(at);
  at.media.instead = () => undefined;
};
const old = async (at: Scene) => {
  await unanswered(at);
  at.clock.pass(2 * dayMs);
};
const price =
  (...prices: number[]) =>
  (at: Scene) =>
    void (at.media.prices = prices);
const stale = (at: Scene) => {
  price(12.5, 20)(at);
  at.media.when('/generate', refusal(409, 'quote_stale', 'stale'));
};

const severalSources = ({ media }: Scene) => {
  const opts = { properties: { first_image_url: {}, last_image_url: {} } };
  const requestJsonSchema = { properties: { opts } };
  media.models = [{ id: 'vendor/canvas', operations: [{ id: 'make', requestJsonSchema }] }];
};

it.each<[code: ErrorCode, exit: number, line: string, before?: (at: Scene) => unknown]>([
  ['ambiguous_id', 2, 'jobs show job_abcd', alike],
  ['exec_failed', 12, 'jobs wait job_1 --exec false', started],
  ['invalid_option', 2, `${make} --opt extra=x`],
  ['key_reused', 2, 'generate vendor/canvas y --idempotency-key k', withKey],
  ['max_cost', 5, `${make} --max-cost 1`],
  ['max_cost_passed', 5, `${make} --max-cost 11`, price(10)],
  ['no_price', 3, make, price(-5)],
  ['not_cut_off', 2, 'jobs resume job_1', started],
  ['other_account', 2, 'jobs show job_1', ofAnother],
  ['price_rose', 5, make, stale],
  ['results_expired', 3, 'jobs download job_1 -o F/', expired],
  ['several_results', 12, `${make} -o -`, (at) => void (at.media.results = [png, png])],
  ['some_failed', 12, 'jobs wait --all', failed],
  ['submission_not_started', 9, make, unstarted],
  ['too_old', 10, 'jobs wait --all', old],
  ['unknown_source_option', 2, `${make} --input https://x.invalid/a.png`, severalSources],
])('%s, with exit %i: svc %s', async (code, exit, line, before) => {
  const at = await scene();
  await before?.(at);
  const { clock, env, folder, home } = at;
  const words = line.replace('F/', `${folder}/`);
  const isSaved = line.startsWith(make) && !line.includes('-o');
  const out = isSaved ? ` -o ${folder}/` : '';
  expect(await reported(words + out, { clock, env, home })).toEqual([code, exit]);
});

const create = 'image create -m vendor/canvas "a lighthouse"';

it.each<[code: ErrorCode, exit: number, line: string, laterMs?: number]>([
  ['earlier_run_unknown', 10, `${create} -o F/`],
  ['image_unknown', 10, 'jobs wait --all'],
  ['not_listed', 9, 'jobs wait --all', 11 * 60_000],
  ['not_resumable', 2, 'jobs resume KEY'],
])(
  '%s, with exit %i, after an image without an answer: svc %s',
  async (code, exit, line, laterMs = 0) => {
    const at = await imageScene();
    await at.create();
    at.killed();
    at.clock.pass(laterMs);
    const { clock, env, folder, home } = at;
    const key = String(at.ledger()[0]?.['intent']);
    const words = line.replace('F/', `${folder}/`).replace('KEY', key);
    expect(await reported(words, { clock, env, home })).toEqual([code, exit]);
  },
);
