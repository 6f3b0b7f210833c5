/**
 * A process that reports so many incidents, each with an image and a message with another. An hour
 * passes between two, so nothing is refused for its pace and earlier tickets are answered meanwhile.
 */
import * as z from 'zod/mini';
import { systemClock } from '../../../src/lib/clock.js';
import { formRequest } from '../../helpers/form-request.js';
import { say, workOnSignal } from '../../helpers/process-work.js';
import { createService, type Service } from '../../../src/service/service.js';

const [storePath = '', incidents = '0'] = process.argv.slice(2);
const Reply = z.object({ ticket: z.object({ id: z.string() }) });
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 15);
let hours = 0;

/** A GIF by its first bytes, of a length of its own. */
function image(length: number): Blob {
  return new Blob([Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(length, 1)])]);
}

async function post(
  service: Service,
  path: string,
  fields: object,
  length: number,
): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
  body.append('files', image(length), 'a.gif');
  const headers = { authorization: 'Bearer sk-svc-local' };
  return service.fetch(await formRequest(`http://any.example${path}`, body, headers));
}

const clock = { ...systemClock, now: () => start + hours * hour };

workOnSignal(
  () => createService({ storePath, clock }),
  async (service) => {
    for (let i = 0; i < Number(incidents); i += 1) {
      hours = i;
      const clientIncidentId = `i${i}`;
      const fields = { subject: `Incident ${i}`, message: 'It happened again.', clientIncidentId };
      const answer = await post(service, '/v1/tickets', fields, 200_000 + i);
      const { id } = Reply.parse(await answer.json()).ticket;
      const message = { message: `from ${process.pid}` };
      await post(service, `/v1/tickets/${id}/messages`, message, 100_000 + i);
      say(`${clientIncidentId} ${id}`);
    }
    service.close();
  },
);
