import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { topicsIn } from '../../scripts/generate/manual.js';
import { recipes, unsuitable } from '../../src/proxy/recipes/rows.js';
import { entries } from '../../src/commands/index.js';
import { passages } from '../../src/service/engines/manual.js';
import { rank } from '../../src/service/engines/guide.js';
import { TapeFile } from '../../src/tapes/tape.js';
import { testFolder } from '../helpers/folder.js';
import { pages } from './pages.js';

test('a page gives a passage for each of its topics', () => {
  const page = `# Page

## One

A paragraph
over two lines.

- a list
- stays

| a table |
| ------- |
| stays   |

\`\`\`json
{
  "code": "stays"
}
\`\`\`

\`\`\`sh
svc --help
\`\`\`

## Two

Text.

\`\`\`sh
svc balance
\`\`\`
`;
  const text =
    'A paragraph over two lines.\n\n- a list\n- stays\n\n| a table |\n| ------- |\n| stays   |\n\n```json\n{\n  "code": "stays"\n}\n```';
  expect(topicsIn(page)).toEqual([
    { title: 'One', text, command: 'svc --help' },
    { title: 'Two', text: 'Text.', command: 'svc balance' },
  ]);
});

test('a topic without a command to type is refused by name', () => {
  expect(() => topicsIn('# Page\n\n## Lonely\n\nText.\n')).toThrow('"Lonely"');
});

test('the passages are the topics of the manual, and every command', () => {
  const topics = pages
    .filter(({ path }) => path.startsWith('docs/manual/'))
    .flatMap(({ text }) => topicsIn(text));
  expect(passages.filter(({ isReference }) => !isReference)).toEqual(topics);
  const titles = passages.map(({ title }) => title);
  for (const entry of entries) {
    for (const verb of 'commands' in entry ? entry.commands : [entry]) {
      const path = verb === entry ? entry.name : `${entry.name} ${verb.name}`;
      expect(titles).toContain(`svc ${path}: ${verb.summary}`);
    }
  }
});

test('the manual names each program with a recipe, and says what its recipe leaves open', () => {
  const agents = passages.find(({ title }) => title.startsWith('Running codex'))?.text ?? '';
  const rows = recipes.map(({ names: [name = ''], verified: { version, by }, uncovered }) => {
    return `- \`${name}\` ${version}, ${by}. ${uncovered}`;
  });
  expect(agents.split('\n').filter((line) => line.startsWith('- '))).toEqual(rows);
  for (const { names } of unsuitable) expect(agents).toContain(`\`${names[0] ?? ''}\``);
});

test('the lines of a tape that the manual shows are a tape', () => {
  const page = pages.find(({ path }) => path.endsWith('15-tapes.md'))?.text ?? '';
  const path = join(testFolder(), 'tape.jsonl');
  const blocks = Array.from(page.matchAll(/```json\n([^]*?)```/g), ([, json = '']) => json);
  writeFileSync(path, blocks.map((json) => JSON.stringify(JSON.parse(json))).join('\n'));
  const read: unknown[] = [];
  const take = (part: unknown) => void read.push(part);
  new TapeFile(path).read(take, take);
  expect(read).toMatchObject([['$.metadata.run', '$.max_tokens'], { answer: { status: 200 } }]);
});

test.each([
  'what is the capital of France',
  'write a poem about the sea',
  'why is the sky blue',
  'explain quantum entanglement',
  'tell me a joke',
  'who won the football match yesterday',
  'какая столица Франции',
  'почему небо голубое',
  'объясни квантовую запутанность',
  'расскажи анекдот',
  'кто вчера выиграл матч',
])('"%s" is not about svc', async (question) => {
  expect(await rank(question)).toEqual([]);
});
