/** Deletes turns, and starts and names conversations. */
import { nameFrom } from '../../chat/conversation.js';
import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { shellWord } from '../../lib/names.js';
import { Log } from '../../state/log.js';
import { momentOf } from '../moment.js';
import type * as declared from './index.js';
import { entryOf } from './turns.js';

export const deleting: Handler<typeof declared.deleting> = async (context, { args, options }) => {
  const { clock, flags, out, paths, prompts } = context;
  const { before, all, program } = options;
  if ([args.id, before, all].filter((value) => value !== undefined).length !== 1) {
    throw new UsageError('give an id, --before or --all', { hint: 'svc logs delete --help' });
  }
  const log = new Log(paths);
  const entry = args.id === undefined ? undefined : entryOf(log, args.id);
  const chosen = {
    ...(entry?.isTurn ? { id: entry.at ?? undefined } : { conversation: entry?.conversation }),
    beforeMs: momentOf('--before', before, clock.now()),
    program,
  };
  const { turns } = log.totals(chosen);
  const what = turns === 1 ? '1 turn' : `${turns} turns`;
  const message = `Delete ${what}? This cannot be undone.`;
  if (!flags.dryRun) await prompts.assertAgreed(message, 'nothing was deleted');
  const deleted = flags.dryRun ? 0 : log.delete(chosen);
  if (flags.json) return out.json({ deleted });
  out.note(flags.dryRun ? `would delete ${what}` : `deleted ${what}`);
};

export const branch: Handler<typeof declared.branch> = async (context, { args }) => {
  const { clock, commandHint, flags, out, paths } = context;
  const log = new Log(paths);
  const { at } = entryOf(log, args.id);
  const name = args.name === undefined ? undefined : freeName(log, args.name);
  const id = `c${log.branch(at, clock.now(), name)}`;
  if (flags.json) return out.json({ id, name: name ?? null, follows: at });
  await out.line(name ?? id);
  out.note(commandHint(`to continue it: svc chat --conversation ${shellWord(name ?? id)}`));
};

export const rename: Handler<typeof declared.rename> = async ({ flags, out, paths }, { args }) => {
  const log = new Log(paths);
  const { conversation } = entryOf(log, args.id);
  const name = freeName(log, args.name);
  log.rename(conversation, name);
  if (flags.json) return out.json({ id: `c${conversation}`, name });
  out.note(`c${conversation} is now ${name}`);
};

/** @throws UsageError for what is not a name, or for one that is taken */
function freeName(log: Log, text: string): string {
  const name = nameFrom(text, '<name>');
  if (!log.conversation(name)) return name;
  throw new UsageError(`the name ${name} is taken`, { code: 'name_taken' });
}
