/** Plays command lines in a real pseudo-terminal, and reads the screen that a person would see. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Scene {
  /** Command lines for a shell, one after the other. */
  readonly lines: readonly string[];
  /** What is typed, each once, as soon as the terminal is sent something new that matches. */
  readonly typed?: readonly Keys[];
  /** A command line to run elsewhere when the terminal shows $FOUND; Ctrl-C is typed at its end. */
  readonly beside?: readonly [shown: RegExp, line: string];
  /** Whether it begins in an empty home folder. */
  readonly isNew?: boolean;
  /** Starts `svc serve` first; `URL` in `lines` and `typed` is its address. */
  readonly server?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** How long after the one before each line begins. */
  readonly secondsApart?: number;
  /** Whether colours and such are written down as well. */
  readonly withStyles?: boolean;
}

type Keys = readonly [shown: RegExp, keys: string];

export interface Stage {
  /** The package that is played: bin/ and dist/. */
  readonly package: string;
  /** The folder of this file, where fixed.cjs is. */
  readonly scripts: string;
  /** The home folder to start from, as `prepare` left it. */
  readonly home?: string;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A scene that takes longer waits for words that do not come. */
const slowMs = 45_000;
const usualNow = '2026-03-14T09:26:53Z';

/** @returns what the terminal was sent for each line: a prompt, and what the command printed. */
export async function play(stage: Stage, scene: Scene, size: Size): Promise<readonly string[]> {
  const home = newHome(stage, scene.isNew);
  const server = scene.server ? await startServer(stage) : undefined;
  const withUrl = (text: string) => text.replace('URL', server?.url ?? 'URL');
  const parts: string[] = [];
  try {
    for (const [index, given] of scene.lines.entries()) {
      const line = withUrl(given);
      const atMs = Date.parse(usualNow) + 1000 * index * (scene.secondsApart ?? 0);
      const now = { SCREENS_NOW: new Date(atMs).toISOString() };
      const env = { ...environment(stage, home, index + 1), ...now, ...scene.env };
      const terminal = new Terminal(line, { env, home, size });
      if (index === 0) {
        void terminal.type((scene.typed ?? []).map(([shown, keys]) => [shown, withUrl(keys)]));
        if (scene.beside) void terminal.beside(scene.beside, env);
      }
      const { output, code } = await terminal.ended;
      const lineEnd = endOfLine.test(output) ? '' : '\u001b[7m%\u001b[m\r\n';
      const exit = code === 0 ? '' : `\u001b[2m(exit code ${code})\u001b[m\r\n`;
      parts.push(fixed(`${promptFor(line)}${output}${lineEnd}${exit}`));
    }
    return parts;
  } catch (error) {
    throw new Error(`"${scene.lines.join('; ')}" at ${size.columns} columns`, { cause: error });
  } finally {
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

export function promptFor(line: string): string {
  return `\u001b[32m$\u001b[m \u001b[1m${line}\u001b[m\r\n`;
}

/** A line feed, and after it only what moves nothing. */

const endOfLine = /(?:^|\n)(?:\u001b\[[?\d;]*[hlm])*$/;

/** Runs command lines, each at its time, in a new home folder, which scenes can start from. */
export async function prepare(
  stage: Stage,
  lines: readonly (readonly [now: string, line: string])[],
): Promise<string> {
  const home = newHome(stage, true);
  for (const [index, [now, line]] of lines.entries()) {
    const env = { ...environment(stage, home, 1000 + index), SCREENS_NOW: now };
    const { output, code } = await new Terminal(line, { env, home, size: wide }).ended;
    if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${output}`);
  }
  return home;
}

const wide: Size = { columns: 200, rows: 40 };

function newHome({ package: folder, home: earlier }: Stage, isNew = false): string {
  const home = mkdtempSync('/tmp/ada-');
  const isCode = (path: string) => basename(path).startsWith('code-');
  if (earlier && !isNew) {
    cpSync(earlier, home, {
      recursive: true,
      filter: (path) => !isCode(path) && basename(path) !== '.bin',
    });
  }
  mkdirSync(join(home, '.bin'), { recursive: true });
  symlinkSync(join(folder, 'bin/svc.cjs'), join(home, '.bin/svc'));
  symlinkSync(process.execPath, join(home, '.bin/node'));
  if (earlier) {
    // Compiled code is the same for all.
    mkdirSync(join(home, '.cache/svc'), { recursive: true });
    const code = readdirSync(join(earlier, '.cache/svc')).filter(isCode);
    for (const name of code) {
      symlinkSync(join(earlier, '.cache/svc', name), join(home, '.cache/svc', name));
    }
  }
  return home;
}

type Env = Readonly<Record<string, string>>;

function environment({ scripts }: Stage, home: string, seed: number): Env {
  return {
    PATH: `${home}/.bin:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    SHELL: '/bin/sh',
    LANG: 'C.UTF-8',
    TZ: 'Europe/Berlin',
    TERM: 'xterm-256color',
    NODE_OPTIONS: `--require=${join(scripts, 'fixed.cjs')}`,
    SCREENS_NOW: usualNow,
    SCREENS_SEED: String(seed),
  };
}

/** A command line in a pseudo-terminal of its own. */
class Terminal {
  readonly ended: Promise<{ readonly output: string; readonly code: number }>;
  #sent = '';
  /** How much of it had come when something was typed last. */
  #typedAt = 0;
  readonly #child;

  constructor(line: string, { env, home, size }: { env: Env; home: string; size: Size }) {
    // script is a part of every Debian; -e has it end with the code of the command.
    const sized = `stty cols ${size.columns} rows ${size.rows}; ${line}`;
    const child = spawn('script', ['-qfec', sized, '/dev/null'], { env, cwd: home });
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (this.#sent += text));
    const late = setTimeout(() => child.kill('SIGKILL'), slowMs);
    this.#child = child;
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(late);
        if (code !== null) resolve({ output: this.#sent, code });
        else reject(new Error(`it waits for something that does not come:\n${this.#sent}`));
      });
    });
  }

  async type(keys: readonly Keys[]): Promise<void> {
    for (let left = keys; left.length > 0;) {
      await this.#shows(new RegExp(left.map(([{ source }]) => source).join('|')));
      const news = this.#sent.slice(this.#typedAt);
      const next = left.find(([shown]) => shown.test(news));
      this.#typedAt = this.#sent.length;
      this.#child.stdin.write(next?.[1] ?? '');
      left = left.filter((one) => one !== next);
    }
  }

  async beside([shown, line]: NonNullable<Scene['beside']>, env: Env): Promise<void> {
    const [found] = await this.#shows(shown);
    const other = spawn('/bin/sh', ['-c', line], {
      env: { ...env, FOUND: found },
      stdio: 'ignore',
    });
    other.on('close', () => this.#child.stdin.write('\u0003'));
  }

  #shows(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve) => {
      const look = () => {
        const found = pattern.exec(this.#sent.slice(this.#typedAt));
        if (!found) return;
        this.#child.stdout.off('data', look);
        resolve(found);
      };
      this.#child.stdout.on('data', look);
      look();
    });
  }
}

/** The service, with the account and the history of `prepare`. */
async function startServer(stage: Stage) {
  const home = newHome(stage);
  const env = environment(stage, home, 500);
  const child = spawn('svc', ['serve', '--port', '0', '--job-time', '0s'], { env, cwd: home });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (text: Buffer) => {
      said += text.toString();
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (found) resolve(found);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.on('close', () => reject(new Error(`svc serve ended:\n${said}`)));
  });
  const stop = async () => {
    const closed = once(child, 'close');
    child.kill();
    await closed;
    rmSync(home, { recursive: true, force: true });
  };
  return { url, stop };
}

/** What differs between two runs becomes what a person could have seen, as long as it was. */
function fixed(sent: string): string {
  return (
    sent
      .replace(/\/tmp\/ada-\w{6}/g, '/home/ada/notes')
      .replace(/(127\.0\.0\.1:)\d{5}/g, '$154321')
      // The clock of `svc serve` advances with its timers, which depend on the machine.
      .replace(/10:2\d:\d\d/g, '10:26:53')
      .replace(/ *\d+ ms/g, (time) => '0 ms'.padStart(time.length))
  );
}
