import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scripted } from '../helpers/scripted-transport.js';
import { asking, heard, tapeRig } from './rig.js';

it('reports what cannot be recorded, and passes the answer on', async () => {
  const at = tapeRig();
  const tape = at.recorder();
  writeFileSync(`${at.path}.files`, 'in the way');
  const step = { headers: { 'content-type': 'image/png' }, body: 'png' };
  expect((await heard(tape.send(asking('/a'), scripted(step).transport))).text).toBe('png');
  expect(at.troubles).toHaveLength(1);
  expect(at.lines()).toHaveLength(1);
});

it('leaves no part of a file where its exchange cannot be recorded', async () => {
  const at = tapeRig();
  const step = { headers: { 'content-type': 'image/png' }, body: 'png' };
  const open = () => {
    throw new Error('gone');
  };
  const asked = asking('/a', { body: { length: 1, open } });
  expect((await heard(at.recorder().send(asked, scripted(step).transport))).text).toBe('png');
  expect(at.troubles).toEqual([new Error('gone')]);
  await at.record([asking('/b'), step]);
  const [name = ''] = readdirSync(`${at.path}.files`);
  rmSync(join(`${at.path}.files`, name));
  mkdirSync(join(`${at.path}.files`, name));
  await at.record([asking('/c'), step]);
  expect(at.troubles).toHaveLength(2);
  expect(readdirSync(`${at.path}.files`)).toEqual([name]);
});
