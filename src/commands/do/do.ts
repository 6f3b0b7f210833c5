/** `svc do`: one command for a task, its risk, and with --run a question and its end. */
import { basename } from 'node:path';
import { platform } from 'node:os';
import { withUnnamed } from '../../api/beyond-spec.js';
import { request } from '../../api/call.js';
import { Answer } from '../../api/chat/answer.js';
import { chatBody, type ChatCall } from '../../api/chat/question.js';
import { readAnswer } from '../../api/chat/read.js';
import { idsIn } from '../../api/prepare.js';
import type { Context, Handler } from '../../context.js';
import { createChatCompletion } from '../../contract/chat.js';
import { messagesMaxTokens } from '../../contract/limits.js';
import { ApiError, NegativeResult, UsageError, type ErrorCode } from '../../errors.js';
import { costFor, mayCost, writeCost } from '../../jobs/cost.js';
import { childEnv } from '../../lib/env.js';
import { parsedJson, recordOf, textOf } from '../../lib/json.js';
import { hidden, joinText, plainText } from '../../lib/plain-text.js';
import { modelFor } from '../../jobs/known-model.js';
import type { doCommand } from './index.js';
import { quoted, raised, risks, type Risk } from './risk.js';

const properties = {
  command: { type: 'string', description: 'one line, ready to run; empty if there is none' },
  explanation: { type: 'string', description: 'one short sentence' },
  risk: { type: 'string', enum: risks, description: 'the worst that the command does' },
};
const title = 'shell_command';
const shape = { title, type: 'object', properties, additionalProperties: false };
const schema = { name: title, schema: { ...shape, required: Object.keys(properties) } };

export const run: Handler<typeof doCommand> = async (context, { args, options }) => {
  const { env, flags, out, stdin } = context;
  const usual = platform() === 'win32' ? 'powershell.exe' : '/bin/sh';
  const shell = [options.shell, env['SHELL']].find(Boolean) ?? usual;
  if (options.run && !flags.yes && !context.prompts.canAsk) {
    const hint = 'omit --run to print the command; --yes runs it without a question';
    throw refusal('cannot ask before --run without a terminal', 'no_terminal', hint);
  }
  const model = await modelFor(context, options.model?.trim(), 'chat');
  const { piped, prompt } = await stdin.forPrompt(args.words);
  const { text, cost, ids } = await ask(context, {
    model,
    system: `You turn a task into one command line for ${basename(shell)} on ${platform()}. Text before the task is its context. Use common tools; quote file names. Answer only with a JSON object: ${JSON.stringify(properties)}`,
    parts: [{ type: 'text', text: joinText(piped, prompt) }],
    stream: false,
    schema,
  });
  let proposal: Proposal;
  try {
    proposal = proposalIn(text);
    const { command, explanation, risk } = proposal;
    if (flags.json) {
      await out.json({ ...proposal, cost, ids });
      return;
    }
    if (options.run && !(flags.yes && isDangerous(risk))) out.error(command);
    else await out.line(command);
    if (explanation !== '') out.note(explanation);
    showRisk(context, risk);
  } finally {
    await writeCost(context, cost);
  }
  if (!options.run) return;
  const line = await confirmed(context, proposal);
  const { runForeground } = await import('../../tools/foreground.js');
  await out.flush();
  const own = { env: childEnv(env), hint: 'name a shell: --shell' };
  const exitCode = await runForeground({ command: line, args: [], shell, ...own }, context);
  if (exitCode !== 0) throw Object.assign(new NegativeResult(), { exitCode });
};

const refusal = (message: string, code: ErrorCode, hint?: string) =>
  new UsageError(message, { code, hint });

async function ask(context: Context, question: ChatCall) {
  const client = await context.client();
  const spinner = await context.out.spinner(`waiting for ${question.model}`);
  const answer = new Answer(true);
  const { headers } = await mayCost(context, client, async (paying) => {
    // Where structured answers are refused, the words of the system prompt do.
    const response = await withUnnamed(client, /\b(?:response_format|json_schema)\b/, (takes) => {
      const maxTokens = client.spending && messagesMaxTokens;
      const schema = takes ? question.schema : undefined;
      const body = chatBody({ ...question, maxTokens, schema });
      return request(paying, createChatCompletion, { body });
    });
    await readAnswer(response, 'chat', (piece) => answer.add(piece));
    return response;
  }).finally(() => spinner.stop());
  const ids = idsIn({ headers }, client.brand);
  return { text: answer.text, ids, cost: await costFor(context, client, { ids }) };
}

type Proposal = ReturnType<typeof proposalIn>;

const maxCommandLength = 2000;

/** @throws ApiError without a command that can be shown */
function proposalIn(text: string) {
  const json = recordOf(parsedJson(/\{[^]*\}/.exec(text)?.[0] ?? ''));
  const command = (textOf(json['command']) ?? '').trim();
  const explanation = plainText(textOf(json['explanation']) ?? '', 300);
  const refuse = (message: string, code: ErrorCode, hint: string) => {
    throw new ApiError(message, { status: 200, code, hint });
  };
  if (command === '' || command.length > maxCommandLength) {
    const reason = explanation === '' ? '' : `: ${explanation}`;
    const hint = 'say it in other words, or choose another model with -m';
    refuse(`the model gave no command${reason}`, 'no_command', hint);
  }
  // A line feed may stay in quotes, unless a shell could see the quotes elsewhere.
  const isPlain = !/[#\\`$]/.test(command);
  const inQuotes = (part: string) => (isPlain ? part.replace(/[\n\t]/g, ' ') : part);
  if (command.replace(quoted, inQuotes).search(hidden()) !== -1) {
    const escaped = (unit: string) => `\\u{${unit.codePointAt(0)?.toString(16)}}`;
    const message = `the command contains hidden characters: ${command.replace(hidden(), escaped)}`;
    refuse(message, 'hidden_characters', 'do not run it');
  }
  const risk = risks.find((one) => one === json['risk']) ?? 'changes files';
  return { command, explanation, risk: raised(risk, command) };
}

const isDangerous = (risk: Risk) => risk === 'destroys data' || risk === 'runs as root';

function showRisk({ out }: Context, risk: Risk): void {
  if (isDangerous(risk)) out.sentence(`risk: ${risk}`);
  else out.note(`risk: ${risk}`);
}

/** The command to run, perhaps edited. @throws UsageError */
async function confirmed(context: Context, { command, risk }: Omit<Proposal, 'explanation'>) {
  const { flags, prompts } = context;
  if (flags.yes && isDangerous(risk)) {
    const message = `--yes does not run a command that ${risk}`;
    throw refusal(message, 'dangerous', 'read it, then run it yourself');
  }
  for (let line = command; ;) {
    const choices = [
      { value: 'no', name: 'No' },
      { value: 'yes', name: 'Yes' },
      { value: 'edit', name: 'Edit the command' },
    ];
    const choice = flags.yes ? 'yes' : await prompts.select({ message: 'Run it?', choices });
    if (choice === 'yes') return line;
    if (choice !== 'edit') throw refusal('nothing was run', 'not_confirmed');
    line = await prompts.text({ message: 'Command', default: line, prefill: 'editable' });
    showRisk(context, raised(risk, line));
  }
}
