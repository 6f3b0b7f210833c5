// The two ways in which a coding agent uses svc, with the calls and the bytes that it has to read:
// as commands without a terminal, and as tools of `svc mcp`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const parsed = (words) => (/^[[{]/.test(words) ? JSON.parse(words) : {});

class Agent {
  calls = 0;
  bytes = 0;

  /** @param service the account of the task */
  constructor(service) {
    this.service = service;
  }

  reads(words) {
    this.bytes += Buffer.byteLength(words);
  }

  /** Waits for the moment to stop a call. @throws Error where the call ends before */
  async moment({ when }, ended) {
    const early = ended.then((result) => {
      throw new Error(`it was not stopped: ${JSON.stringify(result)}`);
    });
    await Promise.race([when(this.service), early]);
  }
}

/** Commands: the agent has read SKILL.md, and reads the help of a command for options it has not seen. */
export class Commands extends Agent {
  /** What it has read about commands. */
  #seen = '';

  async start() {
    const { json } = await this.#run('skills add --dry-run --json');
    this.#learn(json.text);
  }

  /** @param line of a shell, after `svc`; @param stop when it is stopped, and by which signal */
  async call(line, stop) {
    const [command] = /^(image|usage|batch|jobs|logs|tickets) \w+|^\w+/.exec(line);
    const options = line.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
    for (const help of [`${command} --help`, `help ${command} --all`]) {
      if (options.every((one) => new RegExp(`(^|[ \`])${one}\\b`, 'm').test(this.#seen))) break;
      this.calls += 1;
      this.#learn((await this.#run(help)).stdout);
    }
    this.calls += 1;
    const result = await this.#run(line, stop);
    this.reads(result.stdout + result.stderr);
    return result;
  }

  #learn(words) {
    this.reads(words);
    // What `svc help` takes says nothing of other commands.
    this.#seen += words.replaceAll(/svc help [^`]*`/g, '');
  }

  async #run(line, stop) {
    const { env, folder, svc } = this.service;
    const words = ['-c', `exec "$0" "$@" ${line}`, ...svc];
    const child = spawn('sh', words, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (stop) {
      await this.moment(stop, ended);
      child.kill(stop.by);
    }
    const [stdout, stderr] = await ended;
    return { stdout, stderr, json: parsed(stdout || stderr) };
  }

  async end() {}
}

/**
 * Tools: the list of tools, with the instructions, is read once; of a result, its texts and links.
 * structuredContent is the same value again, and an image is no text.
 */
export class Tools extends Agent {
  async start() {
    await this.#connect();
    const { tools } = await this.client.listTools();
    this.reads(JSON.stringify(tools) + (this.client.getInstructions() ?? ''));
  }

  /** @param stop when it is stopped, and by which signal to the server, or 'cancel' */
  async call([name, given], stop) {
    this.calls += 1;
    const controller = new AbortController();
    const { signal } = controller;
    const answer = this.client.callTool({ name, arguments: given }, undefined, { signal });
    if (stop) return this.#stop(stop, answer, controller);
    const { content, isError } = await answer;
    const parts = content.filter(({ type }) => type !== 'image');
    for (const part of parts) this.reads(part.text ?? JSON.stringify(part));
    return { json: parsed(parts[0]?.text), isError };
  }

  async #stop(stop, answer, controller) {
    await this.moment(stop, answer);
    if (stop.by === 'cancel') return controller.abort();
    process.kill(this.client.transport.pid, stop.by);
    await answer.catch(() => this.#connect());
  }

  async #connect() {
    const { env, folder: cwd, svc } = this.service;
    const [command, ...words] = svc;
    const args = [...words, 'mcp', '--max-cost', '50', '--files', cwd];
    this.client = new Client({ name: 'bench', version: '1' });
    await this.client.connect(
      new StdioClientTransport({ command, args, cwd, env, stderr: 'ignore' }),
    );
  }

  async end() {
    await this.client.close();
  }
}
