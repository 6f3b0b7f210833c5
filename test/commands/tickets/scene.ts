/** svc tickets against the embedded service, whose answers come when `answered` says so. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordOf, type JsonRecord } from '../../../src/lib/json.js';
import { front, type Front } from '../../helpers/front.js';
import { testFolder } from '../../helpers/folder.js';

export { images } from '../../service/tickets/helpers.js';

/** What the tickets of these tests are about, unless they say otherwise. */
export const report = {
  subject: 'Answers stop early',
  message: 'Since this morning.\n\n  They end in the middle.\n',
};

export const opened = '2026-11-21T18:43:00.000Z';

export interface TicketScene extends Front {
  /** Opens a ticket; its id. */
  readonly open: (fields?: JsonRecord) => Promise<string>;
  readonly close: (id: string) => Promise<unknown>;
  /** Lets the time pass after which the service answers. */
  readonly answered: () => void;
  /** What a ticket holds now. */
  readonly thread: (id: string) => Promise<JsonRecord>;
  /** All tickets, the newest first. */
  readonly tickets: () => Promise<JsonRecord[]>;
  /** From now on any ticket is opened as ticket_1, whatever requests it names. */
  readonly acceptAll: () => void;
}

export const ticketReplyMs = 3_600_000;

export async function scene(): Promise<TicketScene> {
  const at = await front({ before: ['tickets'], ticketReplyMs });
  const ticketOf = (reply: JsonRecord) => recordOf(reply['ticket']);
  return {
    ...at,
    open: async (fields = {}) => {
      const reply = await at.ask('POST', '/v1/tickets', { ...report, ...fields });
      return String(ticketOf(reply)['id']);
    },
    close: (id) => at.ask('POST', `/v1/tickets/${id}/close`),
    answered: () => at.clock.pass(ticketReplyMs),
    thread: async (id) => ticketOf(await at.ask('GET', `/v1/tickets/${id}`)),
    tickets: async () => {
      const { data } = await at.ask('GET', '/v1/tickets');
      return Array.isArray(data) ? data.map(recordOf) : [];
    },
    acceptAll: () => {
      const ticket = { id: 'ticket_1', source: 'api', occurrences: 1 };
      at.on('tickets.create', { answer: { status: 201, json: { deduplicated: false, ticket } } });
    },
  };
}

export function editorThatWrites(text: string, code = 0): { readonly VISUAL: string } {
  const folder = testFolder();
  const [content, script] = [join(folder, 'content'), join(folder, 'the editor')];
  writeFileSync(content, text);
  writeFileSync(script, `#!/bin/sh\ncat '${content}' > "$1"\nexit ${String(code)}\n`);
  chmodSync(script, 0o700);
  return { VISUAL: `'${script}'` };
}
