import { command, flag, group, text } from '../../command.js';

/** The folders of the agents below the home folder; each reads `skills/NAME/SKILL.md` in it. */
export const agentFolders = { claude: '.claude', codex: '.codex', cursor: '.cursor' } as const;
const agents = Object.keys(agentFolders);

export const add = command('add', 'teach a coding agent to use svc', {
  description:
    'Write svc/SKILL.md into the folder of skills of a coding agent, and print its path: what svc is for, which commands charge, ceilings and exit codes. Without --target, svc does so for each of Claude Code, Codex and Cursor that has a folder in your home folder. A file that svc did not write, or that was changed since, is not replaced.',
  options: {
    target: text('AGENT|DIR', `${agents.join(', ')}, or an existing folder of skills`, {
      completes: agents,
    }),
    force: flag('replace a file that svc did not write'),
  },
  examples: [
    'svc skills add # for each agent that is used here',
    'svc skills add --target claude # for Claude Code',
    'svc skills add --target .claude/skills # for one project',
  ],
});

export const skills = group('Tools', 'skills', 'teach coding agents to use svc', [add]);
