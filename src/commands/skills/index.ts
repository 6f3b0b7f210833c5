import { command, flag, group, text } from '../../command.js';

/** The folder of each agent below the home folder, which is there where the agent is used. */
export const agentFolders = {
  agents: '.agents',
  claude: '.claude',
  codex: '.codex',
  copilot: '.copilot',
  cursor: '.cursor',
  gemini: '.gemini',
  opencode: '.config/opencode',
} as const;
const agents = Object.keys(agentFolders);

export const add = command('add', 'teach a coding agent to use svc', {
  description:
    'Write svc/SKILL.md into the folder of skills of a coding agent, and print its path. It has tasks as commands, and says which commands charge, how to set a ceiling and what the exit codes mean. Claude Code reads ~/.claude/skills; Codex, Cursor, Copilot, Gemini, opencode and others share ~/.agents/skills. Without --target, svc writes for each of them that has a folder in your home folder. A file that svc did not write, or that was changed since, is not replaced.',
  options: {
    target: text('AGENT|DIR', `${agents.join(', ')}, or an existing folder of skills`, {
      completes: agents,
    }),
    force: flag('replace a file that svc did not write'),
  },
  examples: [
    'svc skills add # for each agent that is used here',
    'svc skills add --target claude # for Claude Code',
    'svc skills add --target agents # for all that share ~/.agents/skills',
    'svc skills add --target .agents/skills # for one project',
  ],
});

export const skills = group('Tools', 'skills', 'teach coding agents to use svc', [add]);
