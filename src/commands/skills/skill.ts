/** The text of SKILL.md, from the map of the commands. */
import type { CommandMap } from '../../command-map.js';

/** Each task in at most three commands, which run as they are written (test/commands/skills/skill.test.ts). */
const tasks = `## A picture within a price

\`\`\`sh
svc image create "a lighthouse at dusk" --quote --json
svc image create "a lighthouse at dusk" -o lighthouse.png --max-cost 5 --json
\`\`\`

The first line shows \`priceRub\` and creates nothing. If the second is interrupted, run it again as it
is: it continues, and is not paid for twice; \`file_exists\` means that it was done. With --new it pays
again. Video, music, 3D and edits of pictures: \`svc generate MODEL "PROMPT"\` with the same options.

## A batch that is resumed

Each line of requests.jsonl is \`{"custom_id": "1", "prompt": "…"}\`.

\`\`\`sh
svc batch run requests.jsonl -m MODEL --estimate --json
svc batch run requests.jsonl -m MODEL -o answers.jsonl --max-cost 20 --json
svc batch report answers.jsonl --json
\`\`\`

\`svc models list --type text --json\` has the ids of models. The second line again sends only what is
missing; its ceiling is for all runs into answers.jsonl. The report has cost, tokens and errors.

## What was spent

\`\`\`sh
svc balance --json
svc usage chart --by model --since 7d --json
svc budget --json
\`\`\`

The chart is of all charges of the account, \`svc logs --sum --since 7d --json\` of conversations alone.
The user sets limits: \`svc budget set day 100\`.
`;

/** @returns Markdown of at most 4 KB, with the head that agents choose a skill by. */
export function skillText({ commands = [], exitCodes = [] }: CommandMap): string {
  const charging = commands.filter(({ charges, deprecated }) => charges && !deprecated);
  const ownCodes = exitCodes.filter(({ code }) => code > 1 && code < 128);
  return `---
name: svc
description: Use the svc command line to ask language models, generate images, video, music and speech, transcribe recordings, search the web, embed or batch texts, and read prices, balance, spending and support tickets. Use it when the user mentions svc or needs one of these from the terminal.
---

# svc

stdout is data; notes are on stderr. With --json a failure is \`{"error": {"exit", "code", "message",
"hint"}}\` on stderr, and the hint is the next step. Prices are in RUB. To try a line offline and for
free, add --local.

${tasks}
## Before you spend

Only these may charge: ${charging.map(({ path }) => `\`${path}\``).join(', ')}.
\`jobs\` only finishes what was requested, except \`jobs extend\`. \`--max-cost RUB\` is the ceiling of a
command, all its requests together; \`--dry-run\` sends nothing.

## More

- \`svc COMMAND --help\`: its options. \`svc help --json COMMAND\`, which is long, is for programs.
- \`svc chat -m MODEL "PROMPT" --schema schema.json --json\`: an answer that fits, under \`text\`.
- \`svc tickets create --subject TEXT --message TEXT --attach screen.png\` asks support; then
  \`svc tickets show @last\`, \`svc tickets reply @last TEXT\`, \`svc tickets close @last\`.
- \`svc help --all\`: all commands. \`--jq EXPR\` and \`--fields NAMES\` cut the JSON of each.
- \`svc mcp --max-cost 50\`: the same as tools, for agents that speak MCP.

## Exit codes

${ownCodes.map(({ code, meaning }) => `${code} ${meaning}`).join('. ')}.
After 10, look at \`svc usage list --json\` before you ask for the same again.
`;
}
