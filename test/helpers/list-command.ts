/** The forms of a list or a record: a table on a terminal, lines in a pipe, JSON, and nothing. */
import { describe, expect, it } from 'vitest';
import { fakeService, json } from './fake-service.js';
import { PollingClock } from './manual-clock.js';
import { run, type RunOptions } from './run.js';

/** What svc lists: the reply of a service, or what the home and the like of a run hold. */
type Source =
  | { readonly reply: unknown; readonly env?: RunOptions['env'] }
  | (() => RunOptions | Promise<RunOptions>);

export interface ListCommand {
  /** The words after `svc`. */
  readonly line: string;
  /** The path that is asked for first. */
  readonly asks?: string;
  readonly from: Source;
  readonly columns?: number;
  /** What a person sees, line by line; HOME stands for the folder of settings, ORIGIN for the service. */
  readonly terminal: readonly string[];
  readonly pipe: readonly string[];
  /** What a program gets; the reply of the service when absent. */
  readonly json?: unknown;
  /** What stands on stderr beside both. */
  readonly notes?: string;
  /** A list with nothing in it, and the sentence about that. */
  readonly empty?: readonly [from: Source, sentence: string];
}

/** When the lists are read. */
export const listedAtMs = Date.UTC(2026, 10, 2, 12);

/** Runs a line over what it lists. */
async function listed({ line, asks }: ListCommand, from: Source, how: RunOptions = {}) {
  const service = 'reply' in from ? await fakeService(json(from.reply)) : undefined;
  const { home, ...options }: RunOptions =
    'reply' in from ? { env: { ...service?.env, ...from.env } } : await from();
  const clock = new PollingClock({ now: listedAtMs });
  const { stdout, stderr, code } = await run(line, { clock, home, ...options, ...how });
  if (asks !== undefined) expect(service?.requests[0]?.url).toBe(asks);
  const named = stdout.replaceAll(home ?? 'HOME', 'HOME');
  return { stdout: named.replaceAll(service?.origin ?? 'ORIGIN', 'ORIGIN'), stderr, code };
}

const lines = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');

export function listCommand(list: ListCommand): void {
  const { line, from, columns, notes: stderr = '', empty } = list;
  describe(`svc ${line}`, () => {
    it('shows a person a table, and a pipe a line for each row', async () => {
      const shown = await listed(list, from, { tty: { stdout: true }, columns });
      expect(shown).toEqual({ code: 0, stderr, stdout: lines(list.terminal) });
      const piped = await listed(list, from);
      expect(piped).toEqual({ code: 0, stderr, stdout: lines(list.pipe) });
    });

    it('gives a program all of it as JSON', async () => {
      const asJson = { ...list, line: `${line} --json` };
      const { stdout, ...rest } = await listed(asJson, from);
      expect(rest).toEqual({ stderr: '', code: 0 });
      const reply = 'reply' in from ? from.reply : undefined;
      expect(JSON.parse(stdout)).toEqual(list.json ?? reply);
    });

    if (!empty) return;
    it('says when there is nothing to list, and ends with 0', async () => {
      const [none, sentence] = empty;
      const result = await listed(list, none);
      expect(result).toEqual({ stdout: '', stderr: `${sentence}\n`, code: 0 });
    });
  });
}
