import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import type { ConfigDocument } from '../../src/state/config.js';
import { updateConfig } from '../../src/state/config-write.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

const options = { clock: systemClock };
const pathsIn = (folder: string) => pathsFrom({ SVC_CONFIG_DIR: folder });
const modeOf = (path: string) => statSync(path).mode & 0o777;
const jsonIn = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

function setModel(model: unknown) {
  return (config: ConfigDocument) => {
    config.profiles = { ...config.profiles, default: { ...config.profiles?.['default'], model } };
  };
}

it('a change of the config makes a file that only its owner may read, in a folder that only they may enter', async () => {
  const folder = join(testFolder(), 'deep', 'svc');
  await updateConfig(pathsIn(folder), options, setModel('m'));
  expect(jsonIn(join(folder, 'config.json'))).toEqual({
    version: 1,
    profiles: { default: { model: 'm' } },
  });
  expect([modeOf(folder), modeOf(join(folder, 'config.json'))]).toEqual([0o700, 0o600]);
  expect(readdirSync(folder).sort()).toEqual(['.config.json.lock', 'config.json']);
});

it('a change of the config keeps what a newer svc wrote, and for its owner alone', async () => {
  const folder = testFolder();
  const file = join(folder, 'config.json');
  const before = {
    version: 1,
    colours: { prompt: ['red', null, 1.5] },
    profiles: { default: { model: 'old', region: 'eu' }, other: { nested: { a: [] } } },
  };
  writeFileSync(file, JSON.stringify(before), { mode: 0o644 });
  await updateConfig(pathsIn(folder), options, setModel('new'));
  expect(modeOf(file)).toBe(0o600);
  expect(jsonIn(file)).toEqual({
    ...before,
    profiles: { ...before.profiles, default: { model: 'new', region: 'eu' } },
  });
});

it('a config in which nothing changes is not written', async () => {
  const folder = testFolder();
  const file = join(folder, 'config.json');
  writeFileSync(file, '{"profiles":{"default":{"model":"m"}}}');
  const before = statSync(file).ino;
  await updateConfig(pathsIn(folder), options, setModel('m'));
  expect(statSync(file).ino).toBe(before);
});

it('a change of the config leaves a link a link and replaces what it points at', async () => {
  const base = testFolder();
  const folder = join(base, 'config');
  mkdirSync(join(base, 'dotfiles'));
  mkdirSync(folder);
  writeFileSync(join(base, 'dotfiles', 'svc.json'), '{"profile":"default"}');
  symlinkSync('../dotfiles/svc.json', join(folder, 'hop.json'));
  symlinkSync('hop.json', join(folder, 'config.json'));
  await updateConfig(pathsIn(folder), options, setModel('m'));
  expect(lstatSync(join(folder, 'config.json')).isSymbolicLink()).toBe(true);
  expect(lstatSync(join(folder, 'hop.json')).isSymbolicLink()).toBe(true);
  const target = join(base, 'dotfiles', 'svc.json');
  expect(jsonIn(target)).toEqual({
    version: 1,
    profile: 'default',
    profiles: { default: { model: 'm' } },
  });
  expect(modeOf(target)).toBe(0o600);
});

it.each(['{"profiles": {', '{"version": 99}'])(
  'a change of the config leaves a broken file as it is: %j',
  async (text) => {
    const folder = testFolder();
    const file = join(folder, 'config.json');
    writeFileSync(file, text);
    await expect(updateConfig(pathsIn(folder), options, setModel('m'))).rejects.toMatchObject({
      name: 'ConfigError',
      code: 'config_broken',
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

it('a change of the config removes what a killed writer left, and nothing else', async () => {
  const folder = testFolder();
  mkdirSync(join(folder, '.config.json.new'));
  writeFileSync(join(folder, '.config.json.new', 'config.json'), '{"cut');
  writeFileSync(join(folder, 'config.json.bak'), 'mine');
  await updateConfig(pathsIn(folder), options, setModel('m'));
  expect(readdirSync(folder).sort()).toEqual([
    '.config.json.lock',
    'config.json',
    'config.json.bak',
  ]);
});
