/** svc tickets against a service that a test can bend. */
import { chmodSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { recordOf, textOf } from '../../../src/lib/json.js';
import { fakeService, json, type Seen } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { run, words, type RunOptions } from '../../helpers/run.js';

export const images = {
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]),
  gif: Buffer.from('R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
  webp: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
} as const;

export function editorThatWrites(text: string, code = 0): { readonly VISUAL: string } {
  const folder = testFolder();
  const [content, script] = [join(folder, 'content'), join(folder, 'the editor')];
  writeFileSync(content, text);
  writeFileSync(script, `#!/bin/sh\ncat '${content}' > "$1"\nexit ${String(code)}\n`);
  chmodSync(script, 0o700);
  return { VISUAL: `'${script}'` };
}

export interface FakeTicket {
  readonly id: string;
  status: string;
  subject?: string;
  category?: string;
  clientIncidentId?: string;
  occurrences?: number;
  messages: {
    readonly author: string;
    readonly body: string;
    readonly attachments?: readonly { readonly id: string; readonly filename?: string }[];
  }[];
}

export type Scene = Awaited<ReturnType<typeof scene>>;

export const opened = '2026-11-21T18:43:00.000Z';

/** A service with these tickets; one that is opened gets the id ticket_1, ticket_2, … */
export async function scene(...tickets: FakeTicket[]) {
  const home = testFolder();
  const instead: (seen: Seen, response: ServerResponse) => boolean = () => false;
  const service = await fakeService((seen, response) => {
    const [reply, status] = done(tickets, seen);
    if (at.instead(seen, response)) return;
    json(reply, status)(seen, response);
  });
  const at = {
    ...service,
    /** Settings and data of every run. */
    home,
    /** Oldest first. */
    tickets,
    /** Answers after the service has done what it was asked; true when it did answer. */
    instead,
    /** `svc tickets LINE`. */
    svc: (line: string | readonly string[], options: RunOptions = {}) =>
      run(['tickets', ...(typeof line === 'string' ? words(line) : line)], {
        clock: new PollingClock({ now: Date.parse(opened) + 3_600_000 }),
        home,
        ...options,
        env: { ...service.env, ...options.env },
      }),
    file: (name: string, content: string | Buffer) => {
      const path = join(home, name);
      writeFileSync(path, content);
      return path;
    },
    calls: () => service.requests.map(({ method, url }) => `${method} ${url}`),
    posted: () =>
      service.requests
        .filter(({ method, body }) => method === 'POST' && body.startsWith('{'))
        .map(({ body }): unknown => JSON.parse(body)),
  };
  return at;
}

function done(tickets: FakeTicket[], { method, url, body }: Seen): [unknown, number] {
  const [path = '', query = ''] = url.split('?');
  const [, , noun, id, part] = path.split('/');
  if (noun !== 'tickets') return [{ error: 'there is none', code: 'not_found' }, 404];
  if (id === undefined) return method === 'POST' ? create(tickets, body) : list(tickets, query);
  const ticket = tickets.find((one) => one.id === id);
  if (!ticket) return [{ error: 'there is no such ticket', code: 'ticket_not_found' }, 404];
  if (part === 'close') ticket.status = 'closed';
  else if (part === 'messages') {
    if (ticket.status === 'closed') return [{ error: 'closed', code: 'ticket_closed' }, 409];
    ticket.messages.push({ author: 'client', body: field(body, 'message') });
  }
  return part === 'close'
    ? [{ ticket: shown(ticket) }, 200]
    : [{ ticket: thread(ticket) }, part === 'messages' ? 201 : 200];
}

function create(tickets: FakeTicket[], body: string): [unknown, number] {
  const clientIncidentId = field(body, 'clientIncidentId');
  const known = tickets.find((one) => one.clientIncidentId === clientIncidentId);
  if (known) {
    known.occurrences = (known.occurrences ?? 1) + 1;
    return [{ deduplicated: true, ticket: shown(known) }, 200];
  }
  const ticket = {
    id: `ticket_${String(tickets.length + 1)}`,
    status: 'open',
    subject: field(body, 'subject'),
    clientIncidentId,
    messages: [{ author: 'client', body: field(body, 'message') }],
  };
  tickets.push(ticket);
  return [{ deduplicated: false, ticket: shown(ticket) }, 201];
}

/** The cursor is the id of the last ticket of its page. */
function list(tickets: FakeTicket[], query: string): [unknown, number] {
  const asked = new URLSearchParams(query);
  const limit = Number(asked.get('limit') ?? 20);
  const status = asked.get('status');
  const all = tickets.filter((one) => status === null || one.status === status).reverse();
  const from = all.findIndex(({ id }) => id === asked.get('after')) + 1;
  const data = all.slice(from, from + limit);
  const hasMore = from + limit < all.length;
  const nextCursor = hasMore ? data.at(-1)?.id : null;
  return [{ object: 'list', data: data.map(shown), hasMore, nextCursor }, 200];
}

/** In a body of JSON, or in a form. */
function field(body: string, name: string): string {
  if (!body.startsWith('{')) {
    return new RegExp(`name="${name}"\r\n\r\n([^]*?)\r\n--`).exec(body)?.[1] ?? '';
  }
  return textOf(recordOf(JSON.parse(body))[name]) ?? '';
}

function shown({ id, status, subject, clientIncidentId, ...ticket }: FakeTicket) {
  return {
    id,
    object: 'ticket',
    subject,
    category: ticket.category ?? 'general',
    source: 'api',
    status,
    requestIds: [],
    clientIncidentId,
    occurrences: ticket.occurrences ?? 1,
    createdAt: opened,
    updatedAt: opened,
    repliedAt: null,
  };
}

function thread(ticket: FakeTicket) {
  const messages = ticket.messages.map(({ attachments = [], ...message }, index) => ({
    id: `m${String(index + 1)}`,
    createdAt: opened,
    ...message,
    attachments: attachments.map((one) => ({ mimeType: 'image/png', byteSize: 70, ...one })),
  }));
  return { ...shown(ticket), messages };
}

/** Breaks the connection instead of answering. */
export function drop(response: ServerResponse): true {
  response.destroy();
  return true;
}
