/** The values that completion offers: from the config folder, caches and state.db, without a call. */
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { jobState } from '../../api/media/state.js';
import { types, type UsedKind } from '../../api/model-facts.js';
import type { Context } from '../../context.js';
import { globalFlagsFrom } from '../../global-flags.js';
import type { Candidate, LookUp } from '../../command-line.js';
import { brandFrom, defaultBrand } from '../../contract/brand.js';
import { mediaKinds } from '../../contract/enums.js';
import { textOf, valueText, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import { accountOf, accountOfSettings, localService } from '../../state/account.js';
import { profileNames, readAliases, readConfig } from '../../state/config.js';
import { pathsFrom, type Paths } from '../../state/paths.js';
import { baseUrlText } from '../../state/rules.js';
import { loadSettings } from '../../state/settings.js';
import { capabilityCache, listedCaches, nameCache } from '../../state/small-files.js';
import { distanceCell } from '../cells.js';

type Machine = Pick<Context, 'env' | 'clock'>;
type LookUpQuery = Parameters<LookUp>;
type TypedLine = Awaited<ReturnType<typeof lineFrom>>;

/** Finds nothing where anything fails: nobody waits for a shell, or reads its errors. */
export async function lookUp(machine: Machine, ...query: LookUpQuery): Promise<Candidate[]> {
  const candidates = await valuesFor(machine, ...query).catch(() => []);
  // Names with control characters are left out, as are those that read as options or as `:file`.
  const safe = candidates.filter(
    ({ name }) => name === plainText(name, 200) && !/^[-:]/.test(name),
  );
  return safe.map(({ name, summary = '' }) => ({ name, summary: plainText(summary, 80) }));
}

async function valuesFor(machine: Machine, ...query: LookUpQuery): Promise<Candidate[]> {
  const [kind, typed, start] = query;
  const paths = pathsFrom(machine.env);
  if (kind === 'profile') return profileNames(readConfig(paths)).map(named);
  if (kind === 'alias') {
    return Array.from(readAliases(paths), ([name, words]) => ({ name, summary: words.join(' ') }));
  }
  if (kind === 'template' || kind === 'tool') {
    const files = readdirSync(join(paths.config, `${kind}s`)).map(parse);
    const extension = kind === 'tool' ? '.json' : '.yaml';
    return files.flatMap(({ name, ext }) => (ext === extension ? [{ name }] : []));
  }
  const line = await lineFrom(machine, paths, typed);
  switch (kind) {
    case 'setting':
      return (typed.operands[0] ?? '').startsWith('model') ? modelsOf(line) : [];
    case 'model':
      return modelsOf(line, typed.path[0]);
    case 'media':
      return [...mediaKinds.map(named), ...(await mediaNames(line))];
    case 'option':
      return optionsFor(line, typed.operands[0] ?? '', start);
    case 'voice':
    case 'ticket':
      return listed(line, kind);
    default:
      return storedNames(line, kind);
  }
}

/** What a line says of the account; its settings are those of the command that it would run. */
async function lineFrom({ env, clock }: Machine, paths: Paths, { globals }: LookUpQuery[1]) {
  const flags = globalFlagsFrom(globals, env);
  const settings = loadSettings({ flags, env, paths });
  const { profile, baseUrl } = settings;
  const account = flags.local
    ? accountOf('local', localService, (await import('../../service/keys.js')).localKey(brand))
    : (accountOfSettings(settings) ?? accountOf(profile, baseUrl ? baseUrlText(baseUrl) : '', ''));
  return { account, isLocal: flags.local, paths, settings, clock };
}

const brand = brandFrom(defaultBrand);
const named = (name: string): Candidate => ({ name });
const facts = (...all: (string | undefined)[]) => all.filter(Boolean).join(' · ');

function listed({ account, paths }: TypedLine, kind: keyof typeof listedCaches): Candidate[] {
  const shown = listedCaches[kind](paths, account).read() ?? [];
  return shown.map(([name, summary]) => ({ name, summary }));
}

/** What the model of a command is for; other commands take any. */
export const kindsOfCommands: Readonly<Partial<Record<string, UsedKind>>> = {
  ...{ chat: 'chat', do: 'chat', batch: 'chat', image: 'image', speak: 'speech' },
  ...{ transcribe: 'transcription', embed: 'embedding', decide: 'decision' },
};

/** Those whose type is known to be another one are left out. */
async function modelsOf(line: TypedLine, command = ''): Promise<Candidate[]> {
  const kind = kindsOfCommands[command];
  const names = line.isLocal ? [] : (nameCache(line.paths, line.account).read()?.names ?? []);
  const texts = line.isLocal ? (await import('../../service/catalog.js')).models : [];
  const known = [
    ...names.map(named),
    ...texts.map(({ id: name, type, summary }) => ({ name, summary: facts(type, summary) })),
    ...(await mediaNames(line)),
    ...(line.isLocal ? [] : listed(line, 'model')),
  ];
  const typeIn = (summary = '') => /^[\w-]+(?= · |$)/.exec(summary)?.[0];
  const fits = ({ summary }: Candidate) => {
    const type = typeIn(summary);
    return !kind || type === undefined || types[kind].test(type);
  };
  return [...new Map(known.map((one) => [one.name, one])).values()].filter(fits);
}

async function mediaModels({ account, isLocal, paths }: TypedLine): Promise<readonly JsonRecord[]> {
  if (!isLocal) return capabilityCache(paths, account).read()?.models ?? [];
  const { models } = await import('../../service/media/engines/models.js');
  return models.map((model) => ({ ...model }));
}

async function mediaNames(line: TypedLine): Promise<Candidate[]> {
  const { idsOf } = await import('../../api/media/capabilities.js');
  return (await mediaModels(line)).map((model) => {
    const { kind, type, title } = model;
    return { name: idsOf(model)[0] ?? '', summary: facts(textOf(kind ?? type), textOf(title)) };
  });
}

/** `seconds=`, and after that `seconds=5`. */
async function optionsFor(line: TypedLine, model: string, start: string): Promise<Candidate[]> {
  const [{ capabilityOf }, { choicesOf, optionsOf, typesOf, typeWords }] = await Promise.all([
    import('../../api/media/capabilities.js'),
    import('../../media/model-options.js'),
  ]);
  const kind = mediaKinds.find((one) => one === model);
  const models = await mediaModels(line);
  const usual = line.isLocal
    ? textOf(models.find((one) => one['kind'] === kind)?.['id'])
    : kind && line.settings[`model.${kind}`];
  const operations = capabilityOf(models, (kind && usual) ?? model)?.operations ?? [];
  const [chosen] = /^[^=]+(?==)/.exec(start) ?? [];
  return optionsOf(operations.map(({ schema }) => schema)).flatMap((option) => {
    const { name, schemas } = option;
    if (chosen === undefined) return [{ name: `${name}=`, summary: typeWords(option) }];
    if (chosen !== name) return [];
    const usual = typesOf(schemas).has('boolean') ? [true, false] : [];
    const choices = choicesOf(schemas);
    return (choices.length > 0 ? choices : usual).map((one) => named(`${name}=${valueText(one)}`));
  });
}

/** How many ids are offered, and the events that so many jobs have at most. */
const [maxIds, maxEvents] = [50, 300];

/** What state.db holds. Loading SQLite takes some ms. */
async function storedNames(
  { account, clock, paths }: TypedLine,
  kind: 'job' | 'conversation' | 'turn',
) {
  const [{ withoutWriting }, { Ledger }, { Log }] = await Promise.all([
    import('../../state/database.js'),
    import('../../state/ledger.js'),
    import('../../state/log.js'),
  ]);
  const screen = { out: { isTerminal: true }, clock };
  const age = (atMs: number) => distanceCell(screen, atMs);
  // What people remember comes first, and leaves room for the rest.
  const asked = (words: string | null = null) => plainText(words ?? '', 50);
  return withoutWriting(paths, () => {
    const log = new Log(paths);
    if (kind === 'conversation' || kind === 'turn') {
      const conversations = log.conversations(maxIds, account.service);
      const named = conversations.map(({ id, name, question, turns, changedAtMs }) => {
        const count = `${turns} ${turns === 1 ? 'turn' : 'turns'}`;
        return { name: name ?? `c${id}`, summary: facts(asked(question), count, age(changedAtMs)) };
      });
      // Where a turn is named, a conversation may stand for it.
      const turns = kind === 'turn' ? log.turns({}, maxIds) : [];
      const numbered = turns.map(({ id, name, conversation, atMs, question }) => {
        const summary = facts(asked(question), name ?? `c${conversation}`, age(atMs));
        return { name: String(id), summary };
      });
      return [...numbered, ...named];
    }
    const newest = new Ledger(paths, 'jobs', maxEvents).newestJobs(account, maxIds);
    const jobs = newest.flatMap(({ jobId, state, model, wantedAtMs, prompt }) => {
      const summary = facts(asked(prompt), jobState(state), age(wantedAtMs), model);
      return jobId === undefined ? [] : [{ name: jobId, summary }];
    });
    return jobs.length === 0 ? [] : [{ name: '@last', summary: 'the newest job' }, ...jobs];
  });
}
