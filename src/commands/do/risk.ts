/** What a shell command may do, as far as its words show it. */

/** The worst comes last. */
export const risks = [
  'reads only',
  'network',
  'changes files',
  'runs as root',
  'destroys data',
] as const;
export type Risk = (typeof risks)[number];

/** Programs where a command may begin: not the `rm` of `docker run --rm`. */
function begins(names: string): RegExp {
  const wrapper =
    '\\b(?:sudo|doas|xargs|env|exec|nice|nohup|time|then|else|do)(?:\\s+(?:-\\S+|\\d+))*\\s';
  const start = `(?:^|[;&|({\`'"\\n]|${wrapper})\\s*(?:\\w+=\\S*\\s+)*\\\\?(?:[\\w./~-]*/)?`;
  return new RegExp(`${start}(?:${names})(?![\\w-])`, 'i');
}

const patterns: readonly (readonly [Risk, RegExp])[] = [
  ['destroys data', begins('rm|shred|dd|mkfs\\S*|wipefs|fdisk|parted|truncate|del|remove-item')],
  ['destroys data', begins('pkill|killall|kill\\s+(?:-s\\s*|-)(?:9|(?:SIG)?KILL)')],
  ['destroys data', /\bfind\s.*\s-delete\b|\bdrop\s+(?:table|database)\b/i],
  ['destroys data', />\s*\/dev\/(?!null\b|std|tty|fd\b)/],
  [
    'destroys data',
    /\bgit\b.*\b(?:push\b.*\s(?:-f\b|--force|--delete)|reset\s.*--hard|clean\s.*-\w*f)/,
  ],
  // Code from elsewhere may do anything.
  [
    'destroys data',
    /\b(?:curl|wget)\b.*(?:\|\s*(?:sudo\s+)?\S*|<\(.*)(?:sh|python\d?|perl|node)\b/,
  ],
  ['destroys data', /\b(?:ba|z|da)?sh\b.*(?:<\(|\$\()\s*(?:curl|wget)\b/],
  ['runs as root', begins('sudo|doas|pkexec|su')],
  ['changes files', begins('mv|cp|tee|touch|mkdir|rmdir|ln|chmod|chown|chgrp|tar|unzip|patch')],
  [
    'changes files',
    /\bsed\b.*\s(?:-\w*i|--in-place)|\bgit\s+(?:add|commit|checkout|rebase|merge)\b/,
  ],
  ['network', begins('curl|wget|ssh|scp|sftp|rsync|nc|ping|npm|npx|pip3?|apt(?:-get)?|brew')],
  ['network', /\bgit\b.*\b(?:push|pull|fetch|clone)\b|\bdocker\s+(?:pull|push)\b/],
];
const redirect = />(?!\s*(?:&|\/dev\/null))/;
export const quoted = /'[^']*'|"[^"]*"/g;

/** Never less than the risk that the model names. */
export function raised(risk: Risk, command: string): Risk {
  const matches = patterns.filter(([, pattern]) => pattern.test(command)).map(([one]) => one);
  if (redirect.test(command.replace(quoted, ''))) matches.push('changes files');
  return risks[Math.max(...[risk, ...matches].map((one) => risks.indexOf(one)))] ?? risk;
}
