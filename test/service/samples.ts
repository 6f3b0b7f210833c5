/** What each row of the embedded service may be asked, and what there is to be asked about. */
import { brandFrom, defaultBrand } from '../../src/contract/brand.js';
import type { Endpoint } from '../../src/contract/endpoint.js';
import { endpoints, type EndpointId } from '../../src/contract/index.js';
import { createService, type Service } from '../../src/service/service.js';
import { ask as send, FakeClock, formOf, heldToRows, keys } from './helpers.js';
import { wav } from './media/tones.js';

const brand = brandFrom(defaultBrand);
export const rows: readonly Endpoint[] = endpoints;
const recording = Buffer.from(wav(5));
const audio_base64 = recording.toString('base64');
const png = Buffer.from('89504e470d0a1a0a0000000d494844520000000a0000001408', 'hex');

/** What a row is asked with; `ids` fill its path, `form` is sent in place of a body. */
export interface Sample {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  readonly form?: Readonly<Record<string, string | Blob>>;
}

/** What is there to be asked about. */
export interface Fixture {
  readonly service: Service;
  readonly film: string;
  readonly usage: string;
  readonly voice: string;
  readonly ticket: string;
  readonly attachment: string;
  readonly link: URL;
}

const user = [{ role: 'user', content: 'hi' }];
const film = { model: 'local/reel', prompt: 'waves', opts: { seconds: 1, resolution: '480p' } };
const noul = { type: 'noul', instructions: 'is it?' };
const subject = { subject: 'A subject', message: 'A message of ten letters.' };
const ofVoice = ({ voice }: Fixture) => ({ ids: { id: voice } });
const ofTicket = ({ ticket, attachment }: Fixture) => ({
  ids: { id: ticket, attachmentId: attachment },
});

const samples: Partial<Record<EndpointId, Sample | ((makeFixture: Fixture) => Sample)>> = {
  'chat.create': { body: { model: 'local/echo', messages: user } },
  'chat.messages': { body: { model: 'local/echo', max_tokens: 9, messages: user } },
  'chat.responses': { body: { model: 'local/echo', input: 'hi' } },
  'chat.countTokens': { body: { model: 'local/echo', messages: user } },
  'embeddings.create': { body: { model: 'local/embed', input: 'hi' } },
  'decisions.create': { body: { model: 'local/decide', state: 'hi', questions: { a: noul } } },
  'search.web': { body: { query: 'balance' } },
  'search.region': { body: { query: 'balance' } },
  'models.get': { ids: { id: 'local/echo' } },
  'media.generate': { body: film },
  'media.price': { body: film },
  'media.publicPrice': { body: film },
  'media.job': ({ film: id }) => ({ ids: { id } }),
  'media.file': ({ film: id, link }) => ({ ids: { id, idx: '0' }, query: link.search }),
  'media.extendPrice': { body: { tier: 'lite' } },
  'media.extend': ({ film: taskId }) => ({ body: { taskId, prompt: 'more', tier: 'lite' } }),
  'images.create': { body: { model: 'local/canvas', prompt: 'waves' } },
  'audio.speech': { body: { model: 'local/voice', input: 'hi' } },
  'audio.transcription': { form: { model: 'local/transcribe', file: new Blob([recording]) } },
  'voices.create': { body: { name: 'Bob', consent: true, audio_base64 } },
  'voices.delete': ofVoice,
  'voices.addSamples': (world) => ({
    ...ofVoice(world),
    body: { samples: [{ audio_base64 }] },
  }),
  'files.upload': { form: { file: new Blob([png]) } },
  'billing.record': ({ usage: id }) => ({ ids: { id } }),
  'tickets.create': { body: { ...subject, subject: 'Another subject' } },
  'tickets.get': ofTicket,
  'tickets.reply': (world) => ({ ...ofTicket(world), body: { message: 'more' } }),
  'tickets.close': ofTicket,
  'tickets.attachment': ofTicket,
  'feedback.create': {
    body: { category: 'performance', summary: 'Slow', details: 'It is very slow.' },
  },
  'feedback.get': ofTicket,
  'webhooks.set': { body: { mediaWebhookUrl: 'https://example.com/jobs' } },
};

export interface Asked extends Sample {
  readonly method?: string;
  /** The key, or null for none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it is sent. */
  readonly text?: string;
}

export function ask(service: Service, row: Endpoint, asked: Asked): Promise<Response> {
  const { ids = {}, query = '', body, form, key = keys.local, text } = asked;
  const path = brand.path(row.path).replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
  const bySession = row.auth === 'session';
  const headers = { ...(bySession && { cookie: 'svc_session=local' }), ...asked.headers };
  return send(service, path + query, {
    ...{ method: asked.method ?? row.method, headers, key: bySession ? null : key },
    body: text ?? (form ? formOf(form) : body),
  });
}

export function rowOf(id: EndpointId): Endpoint {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
}

/** The text that stands under one of these names, wherever it is in a reply. */
function idIn(reply: string, ...names: readonly string[]): string {
  const found = new RegExp(`"(?:${names.join('|')})":"([^"]+)"`).exec(reply)?.[1];
  if (found === undefined) throw new Error(`no ${names.join(' or ')} in ${reply}`);
  return found;
}

export async function world(): Promise<Fixture> {
  const clock = new FakeClock();
  const options = { storePath: ':memory:', clock };
  const service = heldToRows(createService(options), options);
  const replyTo = async (id: EndpointId, asked: Asked) =>
    (await ask(service, rowOf(id), asked)).text();
  const jobId = idIn(await replyTo('media.generate', { body: film }), 'jobId');
  clock.set(clock.now() + 60_000);
  const job = await replyTo('media.job', { ids: { id: jobId } });
  const body = { ...sampleOf('voices.create').body, engine: 'extvoice' };
  const voice = idIn(await replyTo('voices.create', { body }), 'id');
  const form = { ...subject, files: new Blob([png]) };
  const ticket = idIn(await replyTo('tickets.create', { form }), 'id');
  const thread = await replyTo('tickets.get', { ids: { id: ticket } });
  return {
    service,
    film: jobId,
    usage: idIn(await replyTo('billing.history', {}), 'id'),
    voice,
    ticket,
    attachment: idIn(thread.slice(thread.indexOf('"attachments"')), 'id'),
    link: new URL(/http[^"]+/.exec(job)?.[0] ?? ''),
  };
}

export function sampleOf(id: string, known?: Fixture): Sample {
  const sample = Object.entries(samples).find(([name]) => name === id)?.[1] ?? {};
  if (typeof sample !== 'function') return sample;
  if (!known) throw new Error(`${id} needs a world`);
  return sample(known);
}
