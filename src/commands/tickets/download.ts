import { resolve } from 'node:path';
import { fetchAttachment, getTicket } from '../../api/tickets.js';
import type { Attachment, TicketThread } from '../../api/tickets.js';
import type { Downloading } from '../../api/media/follow.js';
import type { Handler } from '../../context.js';
import { ApiError, Incomplete, UsageError } from '../../errors.js';
import { destinationFrom, openProgress, type Destination } from '../../jobs/collect.js';
import { isSameExtension } from '../../lib/file-kind.js';
import { safeFileName, splitExtension } from '../../lib/file-name.js';
import { guess } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import type { download } from './index.js';
import { ticketId } from './threads.js';

export const run: Handler<typeof download> = async (context, { args, options }) => {
  const { flags, out } = context;
  const destination = await destinationFrom(context, options);
  const client = await context.client();
  const ticket = await ticketId(context, client, args.id);
  const attachments = chosen(await getTicket(client, ticket), args.attachment);
  const count = attachments.length;
  if (count > 1 && destination.kind !== 'folder') {
    const id = plainText(ticket, 100);
    throw new UsageError(`the ticket has ${count} images, but -o names a target for one`, {
      code: 'several_attachments',
      hint: `name one: \`svc tickets download ${id} ATTACHMENT\`, or a folder: -o DIR/`,
    });
  }
  const files: object[] = [];
  const failures: { readonly id: string; readonly error: ApiError | Incomplete }[] = [];
  for (const attachment of attachments) {
    const { id } = attachment;
    const to = targetFor(destination, attachment);
    const progress = await openProgress(context, to.kind === 'stream' ? 0 : 1);
    const where = { to, onProgress: progress.onProgress(0) };
    try {
      const params = { id: ticket, attachmentId: id };
      const got = await fetchAttachment(client, params, where).finally(progress.stop);
      const { bytes, mediaType } = got;
      const path = got.path === undefined ? undefined : resolve(got.path);
      if (path !== undefined && !flags.json) await out.line(path);
      files.push({ id, path, bytes, mediaType });
    } catch (error) {
      // One failure does not stop the others.
      if (!(error instanceof ApiError || error instanceof Incomplete)) throw error;
      failures.push({ id, error });
    }
  }
  if (flags.json) {
    const failed = failures.map(({ id, error: { code, message } }) => {
      return { id, error: { code, message } };
    });
    await out.json([...files, ...failed]);
  } else if (count === 0) out.note('the ticket has no images');
  const [first] = failures;
  if (!first) return;
  if (count === 1) throw first.error;
  const lines = failures.map(({ id, error }) => `\n  ${plainText(id, 100)}: ${error.message}`);
  throw new Incomplete(
    `${failures.length} of ${count} images could not be downloaded:${lines.join('')}`,
    { code: 'some_failed', hint: failures.find(({ error }) => error.hint)?.error.hint },
  );
};

function chosen({ messages }: TicketThread, word: string | undefined): readonly Attachment[] {
  const all = (messages ?? []).flatMap(({ attachments }) => attachments ?? []);
  if (word === undefined) return all;
  const byId = all.find(({ id }) => id === word);
  if (byId) return [byId];
  const byName = all.filter(({ filename }) => filename === word);
  if (byName.length === 1) return byName;
  const ids = byName.map(({ id }) => plainText(id, 100)).join(', ');
  const words = all.flatMap(({ id, filename }) => (filename ? [id, filename] : [id]));
  const shown = plainText(word, 100);
  throw new UsageError(
    ids === ''
      ? `the ticket has no image ${shown}${guess(word, words)}`
      : `several images are called ${shown}: ${ids}`,
    { code: 'unknown_attachment', hint: 'see which there are: `svc tickets show ID`' },
  );
}

function targetFor(destination: Destination, { id, filename }: Attachment): Downloading['to'] {
  if (destination.kind !== 'folder') return destination;
  const name = safeFileName(filename ?? '') ?? safeFileName(id) ?? 'image';
  const [stem, extension] = splitExtension(name);
  return {
    kind: 'folder',
    folder: destination.folder,
    name: (kind) => (isSameExtension(extension.slice(1), kind) ? name : `${stem}.${kind}`),
  };
}
