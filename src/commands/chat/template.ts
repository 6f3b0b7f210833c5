/** `--save` and `--template`: a line of `svc chat` becomes a template, and a template a line. */
import { fillTemplate, saveTemplate } from '../../chat/template.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import type { ChatLine } from './index.js';

export async function runTemplate(context: Context, line: ChatLine): Promise<void> {
  const { template: name = '', save, param } = line.options;
  const values = new Map(param.map(parameterIn));
  if (save === undefined) {
    const filled = await fillTemplate(context, name, line.options, values);
    const chat = await context.program.load(['chat']);
    return chat.run(context, { args: { ...line.args }, ...filled });
  }
  const prompt = line.args.prompt.join(' ') || undefined;
  const params = values.size > 0 ? Object.fromEntries(values) : undefined;
  const path = await saveTemplate(context, save, line.options, { params, prompt });
  if (context.flags.json) return context.out.json({ name: save, path });
  context.out.note(`Saved template ${save}. To use it: svc chat -t ${save}`);
}

function parameterIn(word: string): [name: string, value: string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new UsageError(`-p: ${JSON.stringify(word)} is not NAME=VALUE`);
}
