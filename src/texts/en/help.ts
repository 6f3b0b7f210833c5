import type { HelpTexts } from '../texts.js';

export const help: HelpTexts = {
  title: (title) => title,
  rootFooter: (isFull) =>
    isFull
      ? '`svc help NAME` explains a command or a topic.'
      : '`svc help NAME` explains a command, `svc help options` the options of all.\n`svc help --all` lists more commands, your aliases and extensions.',
  groupFooter: (name, isListing) =>
    `${isListing ? `\`svc ${name}\` alone is \`svc ${name} list\`. ` : ''}\`svc help ${name} VERB\` explains a verb.`,
  moreOptions: (path, count) => `All ${count} options, by topic: svc help ${path} --all`,
  commandFooter: 'Options of every command (--json, --local, --quiet …): svc help options',
};
