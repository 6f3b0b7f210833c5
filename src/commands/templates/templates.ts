/** The files that `svc chat -t` reads. */
import { rmSync } from 'node:fs';
import { readTemplate, templatePath, templatePaths } from '../../chat/template.js';
import type { Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { recordOf, textOf } from '../../lib/json.js';
import { editorFrom, runEditor } from '../../terminal/viewer.js';
import { listView, writeList } from '../listing.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const templates: (readonly [name: string, path: string, prompt: string | undefined])[] = [];
  for (const [name, path] of [...(await templatePaths(context))].slice(0, options.limit)) {
    // One that cannot be read says so where it is used.
    const { fields } = await readTemplate(context, name).catch(() => ({ fields: recordOf(null) }));
    templates.push([name, path, textOf(fields['prompt'] ?? fields['system'])]);
  }
  const create = 'No templates yet. To create one: svc chat --save NAME "PROMPT"';
  const view = listView<(typeof templates)[number]>(
    [
      ['TEMPLATE', ([name]) => name],
      [{ title: 'PROMPT', min: 10 }, ([, , prompt]) => prompt],
    ],
    context.commandHint(create),
  );
  const json = templates.map(([name, path, prompt]) => ({ name, path, prompt }));
  await writeList(context, view, { items: templates, json });
};

export const show: Handler<typeof declared.show> = async (context, { args: { name } }) => {
  const { flags, out } = context;
  const { fields, names, source } = await readTemplate(context, name);
  const path = await templatePath(context, name);
  await (flags.json
    ? out.json({ name, path, parameters: names, fields })
    : out.line(source.trimEnd()));
};

export const edit: Handler<typeof declared.edit> = async (context, { args: { name } }) => {
  const { env, flags, out, signal } = context;
  const path = await templatePath(context, name);
  const command = editorFrom(env);
  const hint = `set VISUAL or EDITOR, or edit ${path} yourself`;
  if (command === undefined) throw new UsageError('no editor is set', { code: 'no_editor', hint });
  const failure = await runEditor({ command, path, env, signal });
  if (failure !== undefined) {
    throw new UsageError(`the editor ${failure}`, { code: 'editor_failed', hint });
  }
  await readTemplate(context, name);
  if (flags.json) await out.json({ name, path });
  else out.note(`Template ${name} is ready. To use it: svc chat -t ${name}`);
};

export const remove: Handler<typeof declared.remove> = async (context, { args: { name } }) => {
  const { flags, out, prompts } = context;
  const path = await templatePath(context, name);
  await prompts.assertAgreed(`Delete template ${name}?`, 'nothing was deleted');
  rmSync(path);
  if (flags.json) await out.json({ name, deleted: true });
  else out.note(`Deleted template ${name}.`);
};
