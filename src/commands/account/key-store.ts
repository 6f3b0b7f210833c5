/** Keys outside the config file: in the system's keychain, or printed by a command. */
import { createHash } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import type { AsyncEntry } from '@napi-rs/keyring';
import type { Context } from '../../context.js';
import { ConfigError } from '../../errors.js';
import { inTime } from '../../http/deadline.js';
import { wordsIn } from '../../lib/names.js';
import { childEnv } from '../../lib/env.js';
import { listOf, parsedJson, textOf } from '../../lib/json.js';
import { rememberSecret } from '../../lib/redact.js';
import { accountOf } from '../../state/account.js';
import { defaultProfile, rawProfile } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import type { Paths } from '../../state/paths.js';
import { checkKey, type Checked, type StoredProfile } from '../../state/rules.js';
import { forgetKey, type KeyStore, type Settings } from '../../state/settings.js';
import { textsIn } from '../../texts/load.js';
import { outputOf } from '../../tools/process.js';

/** How long the command may take, and what it may print. */
const limits = { timeoutMs: 5000, maxOutputBytes: 65_536, dropsErrors: true } as const;

/** The key of a profile whose key is not in the config file. @throws ConfigError */
export async function readKey(
  context: Context,
  { keyCommand, keyEntry = '', profile }: Pick<Settings, 'keyCommand' | 'keyEntry' | 'profile'>,
): Promise<string> {
  if (keyCommand !== undefined) return printedKey(context, keyCommand);
  const key = await inKeychain(keyEntry, (entry) => entry.getPassword());
  if (key === null) {
    throw new ConfigError(`the keychain does not hold the key of profile "${profile}"`, {
      hint: 'store it again: svc login',
      code: 'no_key',
    });
  }
  rememberSecret(key);
  return key;
}

/** What the command prints. No message repeats that, or the command. */
async function printedKey(context: Context, keyCommand: string): Promise<string> {
  const { clock, env } = context;
  const gaveNone = (why: string) =>
    new ConfigError(`key_command gave no key: ${why}`, {
      hint: 'run it yourself to see why; to print it: svc config get key_command',
      code: 'key_command_failed',
    });
  const checked = await programWords(keyCommand);
  if ('problem' in checked) throw gaveNone(checked.problem);
  const [command = '', ...args] = checked.value;
  // An svc among its programs must not run it again.
  const own = { ...childEnv(env), SVC_LOCAL: '1' };
  const program = { command, args, env: own, clock, stdin: '', ...limits };
  const run = (late: AbortSignal) => outputOf(program, late);
  const { bytes, droppedBytes, problem } = await inTime(context, run);
  if (problem !== '') throw gaveNone(problem);
  if (droppedBytes > 0) throw gaveNone('it printed too much');
  const key = checkKey(bytes.toString('latin1'));
  if ('problem' in key) throw gaveNone(key.problem);
  rememberSecret(key.value);
  return key.value;
}

/** The words of a key_command, whose program is never one of the working folder. */
export async function programWords(line: string): Promise<Checked<readonly string[]>> {
  const checked = await commandWords(line);
  if ('problem' in checked) return checked;
  const [program = ''] = checked.value;
  if (program === '') return { problem: 'its program is empty' };
  if (checked.value.some((word) => word.includes('\0'))) return { problem: 'it contains a NUL' };
  if (program === basename(program) || isAbsolute(program)) return checked;
  return { problem: 'its program must be a name in PATH or an absolute path' };
}

/** A JSON array of words, or a line split as a shell does, and nothing else of it. */
async function commandWords(line: string): Promise<Checked<readonly string[]>> {
  try {
    const listed = listOf(parsedJson(line));
    const words = line.trim().startsWith('[') ? listed.map(textOf) : await wordsIn(line);
    const known = words.filter((word) => word !== undefined);
    if (known.length > 0 && known.length === words.length) return { value: known };
    return { problem: 'it is neither a command nor a JSON array of its words' };
  } catch {
    return { problem: 'a quote is not closed, or a backslash is last' };
  }
}

interface NewKey extends Pick<Settings, 'keyCommand' | 'profile'> {
  readonly key: string;
  readonly store: KeyStore;
}

/**
 * The names of a profile's entries: that in the config file, and two that svc writes in turn. A
 * login that is killed leaves at most one of them, which the next login or logout removes.
 */
function entriesOf(paths: Paths, profile: string, named: string | undefined): readonly string[] {
  // Another config folder may have a profile of this name.
  const folder = createHash('sha256').update(paths.config).digest('hex').slice(0, 8);
  const own = [`${profile} ${folder}`, `${profile} ${folder} 2`];
  return named === undefined ? own : [named, ...own.filter((name) => name !== named)];
}

/**
 * Stores a key and other fields of its profile: the old key is removed when the new one has been
 * written and read back, or the new one when that fails.
 */
export async function keepKey(
  context: Context,
  { key, keyCommand, profile, store }: NewKey,
  others: StoredProfile,
): Promise<void> {
  const { out, paths } = context;
  const { keyHash } = accountOf(profile, '', key);
  const isKeychain = store === 'keychain';
  const remove = (names: readonly string[], which: 'new' | 'earlier') =>
    removeEntries(names).catch(async () => {
      const { login: texts } = await textsIn(out.language);
      out.warn(texts.keyStays(which, names[0] ?? ''), texts.warning);
    });
  await updateConfig(paths, context, async (config, write) => {
    const isFirst = config.profile === undefined && !rawProfile(config, defaultProfile);
    if (isFirst) config.profile = profile;
    const former = rawProfile(config, profile) ?? {};
    const named = textOf(former['key_entry']);
    const entries = entriesOf(paths, profile, named);
    const entry = entries.find((name) => name !== named) ?? '';
    const fields = {
      file: { key },
      keychain: { key_entry: entry, key_hash: keyHash },
      command: { key_command: keyCommand, key_hash: keyHash },
    };
    forgetKey(former);
    config.profiles = { ...config.profiles, [profile]: { ...former, ...others, ...fields[store] } };
    if (isKeychain) await inKeychain(entry, (fresh) => fresh.setPassword(key));
    try {
      if (isKeychain) {
        await inKeychain(entry, async (fresh) => {
          if ((await fresh.getPassword()) !== key) throw new Error('the key cannot be read back');
        });
      }
      await write();
    } catch (error) {
      if (isKeychain) await remove([entry], 'new');
      throw error;
    }
    const old = entries.filter((name) => !isKeychain || name !== entry);
    if (isKeychain || named !== undefined) await remove(old, 'earlier');
  });
}

/**
 * Removes the key of a profile from the keychain, if it is there; with the config file locked, so
 * that no login stores another in between. @throws ConfigError
 */
export async function emptyKeychain(
  paths: Paths,
  profile: string,
  fields: ReturnType<typeof rawProfile>,
): Promise<void> {
  const named = textOf(fields?.['key_entry']);
  await removeEntries(entriesOf(paths, profile, named)).catch((error: unknown) => {
    // Where no key is kept there, the keychain need not be usable.
    if (named !== undefined) throw error;
  });
}

async function removeEntries(names: readonly string[]): Promise<void> {
  for (const name of names) await inKeychain(name, (entry) => entry.deleteCredential());
}

async function inKeychain<Result>(
  name: string,
  act: (entry: AsyncEntry) => Promise<Result>,
): Promise<Result> {
  const unusable = (problem: string, remedy: string) => (cause: unknown) => {
    const hint = `${remedy}; to keep the key in a file: svc login --store file`;
    throw new ConfigError(problem, { hint, code: 'no_keychain', cause });
  };
  const keyring = await import('@napi-rs/keyring').catch(async (cause: unknown) => {
    const { installation } = await import('../update/installation.js');
    const remedy = `install svc with its optional packages: ${installation().command}`;
    return unusable('svc is installed without @napi-rs/keyring', remedy)(cause);
  });
  try {
    // The kernel's keyring, its other store, is empty after a restart.
    return await act(new keyring.AsyncEntry('svc', name, { linux: { store: 'secret-service' } }));
  } catch (error) {
    return unusable(
      'the keychain of this system cannot be used',
      'unlock or start it (on Linux a Secret Service, such as gnome-keyring)',
    )(error);
  }
}
