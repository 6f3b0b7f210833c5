import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../helpers/folder.js';
import { listCommand } from '../helpers/list-command.js';

listCommand({
  line: 'templates list',
  from: () => {
    const home = testFolder();
    mkdirSync(join(home, 'templates'));
    writeFileSync(join(home, 'templates/hi.yaml'), 'prompt: hello {who}');
    return { home };
  },
  terminal: ['TEMPLATE  PROMPT', 'hi        hello {who}'],
  pipe: ['hi\thello {who}'],
  json: [{ name: 'hi', path: 'HOME/templates/hi.yaml', prompt: 'hello {who}' }],
  empty: [() => ({}), 'No templates yet. To create one: svc chat --save NAME "PROMPT"'],
});
