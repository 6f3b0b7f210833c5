import { command, firstOnes, group, flag, text } from '../../command.js';
import { settingNames } from '../../state/rules.js';

const settable = settingNames.join(', ');
const named = { name: 'name', summary: 'the setting', required: true } as const;
const setting = { ...named, completes: settingNames } as const;

export const list = command('list', 'show the settings in effect and their sources', {
  columns: ['setting', 'value', 'from'],
  options: firstOnes,
  examples: [
    'svc config list # flag, environment or profile',
    'svc config list --json | jq .settings.model.value # for a script',
  ],
});

export const get = command('get', 'print one setting in effect', {
  description: `Print one of: profile, key, ${settable}.`,
  args: [{ ...named, completes: ['profile', 'key', ...settingNames] }],
  options: { reveal: flag('print the whole key') },
  examples: [
    'svc config get base_url # as svc uses it now',
    'svc config get key --reveal # the key itself',
  ],
});

export const set = command('set', 'store a setting in the profile', {
  description: `Store one of: ${settable}. svc login stores a key.`,
  args: [setting, { name: 'value', summary: 'its value', required: true, completes: 'setting' }],
  examples: [
    'svc config set model vendor/model # the default for chat',
    'svc config set model.image vendor/canvas # the default for images',
    'svc config set idle_timeout 2m # wait longer for a silent stream',
    'svc config set low_balance 100 # warn below 100 RUB',
    'svc config set accessible on # lines that a screen reader can read',
    'svc config set language ru # what svc says to you, in Russian',
  ],
});

export const unset = command('unset', 'remove a setting from the profile', {
  description: 'Remove a setting from the profile, and the profile itself when it has no other.',
  args: [{ ...named, completes: ['key', ...settingNames] }],
  examples: ['svc config unset model # back to the default'],
});

export const profiles = command('profiles', 'list the profiles, or delete one', {
  columns: ['profile', 'base_url', 'key', 'in_use'],
  options: {
    delete: text('NAME', 'delete this profile and its key', { completes: 'profile' }),
    ...firstOnes,
  },
  examples: ['svc config profiles --delete old # asks first; --yes does not'],
});

export const use = command('use', 'make a profile the default', {
  args: [
    { name: 'profile', summary: 'the name of the profile', required: true, completes: 'profile' },
  ],
  examples: ['svc config use work # for every run from now on'],
});

export const path = command('path', 'print where the config file is', {
  examples: ['$EDITOR "$(svc config path)" # edit it by hand'],
});

const verbs = [list, get, set, unset, profiles, use, path];
export const config = group('Account', 'config', 'show and change settings and profiles', verbs);
