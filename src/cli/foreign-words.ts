/** Words of other programs, and what they may mean here: the first that there is. */
import { guess } from '../lib/names.js';

const foreign = `
  ls all: list conversations show jobs
  history: logs
  rm remove del: delete unset
  new make add create: create add make set chat
  open start: create show run serve
  get view: show list api
  info status: show list doctor
  edit put: set rename
  ask prompt: chat
  auth signin: login
  settings: config
  --max-price --budget: --max-cost
  --key: --with-key`
  .split('\n')
  .map((line) => line.split(/: /).map((words) => words.trim().split(' ')));

/** `; did you mean list?`; empty when no name is meant. */
export function meant(name: string, names: readonly string[]): string {
  const [, own = []] = foreign.find(([words]) => words?.includes(name)) ?? [];
  const same = own.find((one) => names.includes(one));
  return same === undefined ? guess(name, names) : `; did you mean ${same}?`;
}
