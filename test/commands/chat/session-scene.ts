/** A session in which lines are typed, and a service that answers as a test says. */
import {
  chunks,
  chunksEnd,
  events,
  fakeService,
  json,
  type Answer,
  type Seen,
} from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { shown } from '../../terminal/rendered.js';

export const [tab, ctrlC, ctrlD] = ['\t', '\u0003', '\u0004'];

/** A session in which these lines are typed, then Ctrl-D, and what it leaves on both screens. */
export async function session(
  line: string,
  typed: readonly string[],
  { home = testFolder(), ...options }: RunOptions = {},
) {
  const keys = [...typed.map((one) => (one.endsWith(tab) ? one : `${one}\r`)), ctrlD].join('');
  const screen = { tty: true, home, columns: 90, ...options };
  const typing = [['/help', keys]] as const;
  const result = await run(`--local chat -i -m local/echo ${line}`, { ...screen, typed: typing });
  const lines = await shown([result.stderr], { columns: screen.columns });
  // What the editor draws has its own tests.
  const said = lines.filter((one) => one !== '' && !one.startsWith('> '));
  return { ...result, said, home };
}

interface Sent {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

export function sentIn(requests: readonly Seen[]): Sent[] {
  return requests.flatMap(({ body, method }) => {
    if (method !== 'POST') return [];
    const sent: Sent = JSON.parse(body);
    return [sent];
  });
}

interface Talk extends RunOptions {
  /** The command line. */
  readonly line?: string;
}

/** A service that answers each question with the next of these, and what it was asked. */
export async function served(...answers: readonly Answer[]) {
  const left = [...answers];
  const answer: Answer = (request, response) => {
    const next = request.method === 'POST' ? left.shift() : undefined;
    (next ?? json({ error: 'none' }, 404))(request, response);
  };
  const { env, requests } = await fakeService(answer);
  const bodies = () => sentIn(requests);
  const talk = async (typed: readonly string[], { line = 'chat -i -m v', ...more }: Talk = {}) => {
    const keys = [...typed.map((one) => `${one}\r`), ctrlD].join('');
    const home = more.home ?? testFolder();
    const options = { tty: true, columns: 90, ...more, home, env: { ...env, ...more.env } };
    const result = await run(line, { ...options, typed: [['/help', keys]] });
    return { ...result, home };
  };
  return { bodies, talk };
}
export const says = (text: string): Answer => events(chunks(text) + chunksEnd);
