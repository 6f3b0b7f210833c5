/** Short names for command lines, kept in the config file as lists of words. */
import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { recordOf } from '../../lib/json.js';
import { guess, shellWord } from '../../lib/names.js';
import { plainText } from '../../lib/plain-text.js';
import { customName, readAliases } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { listView, writeList } from '../listing.js';
import type * as declared from './index.js';

export const set: Handler<typeof declared.set> = async (context, { args: { name, line } }) => {
  const { flags, out, paths, program } = context;
  const refused = (why: string, hint = 'choose another name') => {
    return new UsageError(`alias ${quoted(name)}: ${why}`, { code: 'bad_alias', hint });
  };
  if (!customName.test(name)) throw refused('a name has lower-case letters, digits and hyphens');
  if (!program.route([name]).isLost) throw refused('svc has a command of that name');
  const form = "quote what follows svc: svc alias set NAME 'chat -m MODEL'";
  const { split } = await import('shlex');
  let words: string[];
  try {
    words = split(line);
  } catch {
    throw refused('a quote is not closed, or a backslash is last', form);
  }
  const { path, refusal } = program.route(words);
  if (refusal !== undefined) throw refused(refusal, ['svc', ...path, '--help'].join(' '));
  if (path.length === 0) throw refused('the line contains no command', form);
  await updateConfig(paths, context, (config) => {
    config['aliases'] = { ...recordOf(config['aliases']), [name]: words };
  });
  if (flags.json) await out.json({ name, words });
  else out.note(`svc ${name} now runs: ${lineOf(words)}`);
};

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const aliases = [...readAliases(context.paths)].slice(0, options.limit);
  const create = "No aliases yet. To create one: svc alias set NAME 'chat -m MODEL'";
  const view = listView<(typeof aliases)[number]>(
    [
      ['ALIAS', ([name]) => name],
      [{ title: 'COMMAND', min: 10 }, ([, words]) => lineOf(words)],
    ],
    context.commandHint(create),
  );
  const json = aliases.map(([name, words]) => ({ name, words }));
  await writeList(context, view, { items: aliases, json });
};

export const remove: Handler<typeof declared.remove> = async (context, { args: { name } }) => {
  const { flags, out, paths } = context;
  await updateConfig(paths, context, (config) => {
    const aliases = new Map(Object.entries(recordOf(config['aliases'])));
    const isKnown = aliases.delete(name);
    config['aliases'] = Object.fromEntries(aliases);
    if (isKnown) return;
    const words = `no alias is called ${quoted(name)}${guess(name, [...aliases.keys()])}`;
    throw new UsageError(words, { code: 'no_such_alias', hint: 'svc alias list' });
  });
  if (flags.json) await out.json({ name, deleted: true });
  else out.note(`Deleted alias ${name}.`);
};

const lineOf = (words: readonly string[]) => ['svc', ...words.map(shellWord)].join(' ');
const quoted = (name: string) => JSON.stringify(plainText(name, 100));
