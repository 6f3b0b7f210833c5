import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { Service, ServiceOptions } from '../../../src/service/service.js';
import { testFolder } from '../../helpers/folder.js';
import { ask, type FakeClock, formOf as formWith, read, type Asked } from '../helpers.js';
import { open, type Opened } from '../media/helpers.js';

export type { Asked };

export const minute = 60_000;
export const hour = 60 * minute;
/** How long staff takes when nothing else is said. */
export const replyMs = 10_000;

export const report = {
  subject: 'Answers stop early',
  message: 'Since this morning long answers end in the middle.',
};

const Ticket = z.looseObject({
  id: z.string(),
  subject: z.string(),
  source: z.string(),
  status: z.string(),
  requestIds: z.array(z.string()),
  occurrences: z.number(),
});
const Attachment = z.looseObject({ id: z.string(), filename: z.string(), byteSize: z.number() });
const Message = z.looseObject({
  id: z.string(),
  author: z.string(),
  body: z.string(),
  attachments: z.array(Attachment),
});
const Thread = z.extend(Ticket, { messages: z.array(Message) });
const Created = z.strictObject({ deduplicated: z.boolean(), ticket: Ticket });
const One = z.object({ ticket: Ticket });
const Whole = z.object({ ticket: Thread });
const Page = z.looseObject({
  data: z.array(Ticket),
  hasMore: z.boolean(),
  nextCursor: z.nullable(z.string()),
});
const Refusal = z.strictObject({ error: z.string().check(z.minLength(5)), code: z.string() });

/** The embedded service, as tests of tickets ask it. */
export class Desk implements Opened {
  readonly service: Service;
  readonly clock: FakeClock;

  constructor(options: Partial<ServiceOptions> = {}) {
    ({ service: this.service, clock: this.clock } = open(options));
  }

  ask(path: string, asked?: Asked): Promise<Response> {
    return ask(this, path, asked);
  }

  async #opened(status: 200 | 201, body: unknown = report, asked: Asked = {}) {
    const response = this.ask('/v1/tickets', { ...asked, body });
    const { deduplicated, ticket } = await read(response, Created, status);
    expect(deduplicated).toBe(status === 200);
    return ticket;
  }

  /** A ticket that must be new. */
  created(body?: unknown, asked?: Asked) {
    return this.#opened(201, body, asked);
  }

  /** A ticket that must have been there. */
  repeated(body?: unknown) {
    return this.#opened(200, body);
  }

  async thread(id: string) {
    return (await read(this.ask(`/v1/tickets/${id}`), Whole)).ticket;
  }

  async replied(id: string, body: unknown, asked: Asked = {}) {
    const response = this.ask(`/v1/tickets/${id}/messages`, { ...asked, body });
    return (await read(response, Whole, 201)).ticket;
  }

  async closed(id: string) {
    return (await read(this.ask(`/v1/tickets/${id}/close`, { method: 'POST' }), One)).ticket;
  }

  page(query = '', asked?: Asked) {
    return read(this.ask(`/v1/tickets${query}`, asked), Page);
  }

  /** What is attached to a ticket, in order. */
  async attachments(id: string) {
    return (await this.thread(id)).messages.flatMap(({ attachments }) => attachments);
  }

  /** A download that is read to its end, so that its file is closed. */
  async download(ticketId: string, id: string, asked?: Asked): Promise<Response> {
    const response = await this.ask(`/v1/tickets/${ticketId}/attachments/${id}`, asked);
    return new Response(await response.arrayBuffer(), response);
  }
}

/** The same with a store in a file, and a folder of attachments. */
export class DeskOnDisk extends Desk {
  readonly storePath: string;
  readonly folder: string;

  constructor({ newId }: Pick<Partial<ServiceOptions>, 'newId'> = {}) {
    const storePath = join(testFolder(), 'local.sqlite');
    super({ storePath, ...(newId && { newId }) });
    this.storePath = storePath;
    this.folder = join(storePath, '..', 'local-media', 'attachments');
  }

  /** The names of what lies in the folder. */
  kept(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder) : [];
  }
}

/** `400 invalid_request`, once the body is exactly what section 2.15 shows. */
export async function refusedWith(response: Response): Promise<string> {
  const text = await response.text();
  expect(response.ok, text).toBe(false);
  return `${response.status} ${Refusal.parse(JSON.parse(text)).code}`;
}

export const images = {
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]),
  gif: Buffer.from('R0lGODlhAQABAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
  webp: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
} as const;

export interface NamedFile {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly type?: string;
}

/** A form of fields and files. */
export function formOf(
  fields: Readonly<Record<string, string | readonly string[]>>,
  files: readonly NamedFile[] = [],
): FormData {
  const form = formWith(fields);
  for (const { bytes, name = 'screen.png', type = 'image/png' } of files) {
    form.append('files', new Blob([Buffer.from(bytes)], { type }), name);
  }
  return form;
}
