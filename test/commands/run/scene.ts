/** Programs for svc run: scripts of node that write what they see to a file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../../helpers/folder.js';

/** Asks a question over the chat format; answers with the status and the message of an error. */
export const ask = `
const ask = async (more = {}) => {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: url, OPENAI_MODEL: model = 'local/echo' } = process.env;
  const response = await fetch(url + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }),
  });
  const { error } = await response.json();
  return { status: response.status, message: error?.message };
};
`;

/** A program that writes what its script returns, as JSON; and what it wrote. */
export function program(script: string) {
  const file = join(testFolder(), 'seen.json');
  const write = `require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(value ?? null))`;
  const code = `${ask}(async () => { ${script} })().then((value) => ${write});`;
  return {
    words: [process.execPath, '-e', code],
    seen: (): unknown => JSON.parse(readFileSync(file, 'utf8')),
  };
}
