/** Shows a report that svc has written, and sends it only when the person says so. */
import type { TicketBody, Image } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import { defaultTicketCategory } from '../../contract/enums.js';
import { UsageError } from '../../errors.js';
import { canAsk } from '../can-ask.js';

/** @throws UsageError when the answer is no, or nobody can be asked and --yes is not given. */
export async function approve(
  context: Context,
  body: TicketBody,
  images: readonly Image[],
): Promise<void> {
  const { flags, out, prompts } = context;
  // That is shown as a request.
  if (flags.dryRun || flags.curl) return;
  if (!flags.yes && !canAsk(context)) {
    throw new UsageError('nobody can be asked here whether the report may go; nothing was sent', {
      code: 'not_confirmed',
      hint: 'see it with --dry-run, and send it with --yes',
    });
  }
  // Under --json stderr is for programs; but who is asked has to see what about.
  if (!flags.json || !flags.yes) out.error(shown(body, images));
  if (await prompts.confirm({ message: 'Send this to support?', default: false })) return;
  throw new UsageError('nothing was sent', { code: 'not_confirmed' });
}

function shown(
  { subject, category, requestIds = [], message }: TicketBody,
  images: readonly Image[],
): string {
  const names = images.map(({ name }) => name).join(', ');
  return [
    `subject: ${subject}`,
    `category: ${category ?? defaultTicketCategory}`,
    ...(requestIds.length === 0 ? [] : [`request ids: ${requestIds.join(', ')}`]),
    ...(names === '' ? [] : [`images: ${names}`]),
    '',
    ...message
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`.trimEnd()),
    '',
  ].join('\n');
}
