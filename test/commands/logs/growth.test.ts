import { expect, it, onTestFinished, vi } from 'vitest';
import { Sql } from '../../../src/lib/sql.js';
import { run } from '../../helpers/run.js';
import { clock, scene, turn } from './scene.js';

/** The steps of SQLite's machine that `svc logs` takes with so many turns. */
async function stepsOf(words: string, count: number): Promise<number> {
  const reads = vi.spyOn(Sql.prototype, 'all');
  onTestFinished(() => reads.mockRestore());
  const { home, log } = scene();
  for (let nth = 3; nth < count; nth += 1) {
    log.add(turn(`Is lighthouse ${nth} lit?`, 'It is.', { conversation: 1 }));
  }
  const database: unknown = reads.mock.contexts.at(-1);
  if (!(database instanceof Sql)) throw new Error('the log was not opened');
  const steps = () => database.number('SELECT sum(nstep) FROM sqlite_stmt') ?? 0;
  const before = steps();
  const { stdout } = await run(`logs ${words} --limit 5`, { home, clock });
  expect(stdout.trimEnd().split('\n')).toHaveLength(5);
  return steps() - before;
}

it.each(['lighthouse', 'is lighthouse', 'lig', ''])(
  'a page of svc logs %s costs as much with ten times the turns',
  async (words) => {
    expect(await stepsOf(words, 400)).toBeLessThan(1.2 * (await stepsOf(words, 40)));
  },
);
