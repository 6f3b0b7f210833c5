/**
 * A process that calls every paid row that is sent once, under Idempotency-Keys, has jobs that fail
 * and opens tickets: store file, how often.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { systemClock } from '../../src/lib/clock.js';
import { createService, type Service } from '../../src/service/service.js';
import { formRequest } from '../../test/helpers/form-request.js';
import { say, workOnSignal } from './process-work.js';
import { paidRows } from '../../test/service/paid-rows.js';

const [storePath = '', times = '0'] = process.argv.slice(2);
const Started = z.object({ jobId: z.string() });
const Ticket = z.object({ ticket: z.object({ id: z.string() }) });
/** An account has no room for more. */
const maxVoices = 4;
/** In an hour. */
const maxTickets = 10;

const film = { model: 'reel', opts: { seconds: 1, resolution: '480p', aspect_ratio: '1:1' } };
const headers = { authorization: 'Bearer sk-svc-local' };

/** The id of a job, which has ended when it is known. */
async function jobId(service: Service, key: string, body: object): Promise<string> {
  const origin = 'http://any.example/api/media';
  const response = await service.fetch(
    new Request(`${origin}/generate`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': key },
      body: JSON.stringify({ prompt: 'a lighthouse', ...body }),
    }),
  );
  const id = Started.parse(await response.json()).jobId;
  await (await service.fetch(new Request(`${origin}/jobs/${id}`, { headers }))).text();
  return id;
}

/** The ticket of an incident, which has an image. */
async function ticketId(service: Service, clientIncidentId: string): Promise<string> {
  const form = new FormData();
  const subject = `Incident ${clientIncidentId}`;
  const texts = { subject, message: 'It happened again.', clientIncidentId };
  for (const [name, text] of Object.entries(texts)) form.set(name, text);
  form.set('files', new Blob([Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(200_000, 1)])]));
  const request = await formRequest('http://any.example/v1/tickets', form, headers);
  return Ticket.parse(await (await service.fetch(request)).json()).ticket.id;
}

workOnSignal(
  () => createService({ storePath, clock: systemClock, jobTimeMs: 0 }),
  async (service) => {
    const taskId = await jobId(service, 'film', film);
    for (let i = 0; i < Number(times); i += 1) {
      say(`failing-${i} ${await jobId(service, `failing-${i}`, { model: 'canvas:failing' })}`);
      if (i < maxTickets) say(`ticket-${i} ${await ticketId(service, `i${i}`)}`);
      for (const { id, call } of paidRows) {
        if (id === 'voices.create' && i >= maxVoices) continue;
        const response = await call(service, { key: `${id}-${i}`, taskId });
        const record = response.headers.get('x-svc-generation-id') ?? 'none';
        const body = createHash('sha256').update(Buffer.from(await response.arrayBuffer()));
        say(`${id}-${i} ${response.status} ${record} ${body.digest('hex')}`);
      }
    }
    service.close();
  },
);
