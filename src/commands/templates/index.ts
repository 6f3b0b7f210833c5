import { command, group, firstOnes } from '../../command.js';

const args = [
  { name: 'name', summary: 'the name of the template', required: true, completes: 'template' },
] as const;

export const list = command('list', 'list the templates', {
  columns: ['template', 'prompt'],
  options: firstOnes,
  examples: ['svc templates list # with their parameters'],
});

export const show = command('show', 'print a template', {
  args,
  examples: ['svc templates show review # the file as it is'],
});

export const edit = command('edit', 'edit a template in your editor', {
  description:
    'Edit a template in your editor. Its fields are the options of svc chat by their long names, prompt, and params with defaults.\n{name} stands for a parameter, {input} for what is typed or piped, {{name}} for {name}.',
  args,
  examples: ['svc templates edit review # in VISUAL or EDITOR'],
});

export const remove = command('delete', 'delete a template', {
  args,
  examples: ['svc templates delete review # asks first; --yes does not'],
});

const verbs = [list, show, edit, remove];
export const templates = group('Text', 'templates', 'keep prompts and options for chat', verbs);
