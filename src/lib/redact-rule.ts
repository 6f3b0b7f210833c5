/** What is replaced by what. Rules are applied in their order, each to what the last one has left. */
export type Rule = readonly [pattern: RegExp, replacement: string];

export function rule(pattern: string, flags: string, replacement: string): Rule {
  return [new RegExp(pattern, flags), replacement];
}

/** What an earlier rule has left. */
export const done = String.raw`(?!\s*[\\"'\x60]{0,9}\[(?:key|sig|secret|cookie|user|data|e-mail)\])`;

/** What follows is no word of a language: it is long enough, and has a digit. */
export const opaque = String.raw`(?=[^\s"'&;,<>]{8})(?=[^\s"'&;,<>]{0,200}\d)`;

/** Words that say something about a secret, in the place where it could stand. */
export const said = String.raw`(?!\s*(?:a|an|and|are|argument|at|by|can|cannot|did|does|empty|expected|expired|false|flag|for|from|given|has|have|header|if|in|incorrect|invalid|is|it|may|means|missing|must|needs?|no|none|not|null|of|only|option|or|refused|rejected|required|requires|run|see|set|should|takes?|that|the|this|to|too|true|twice|undefined|unknown|unset|use|value|was|we|were|when|will|with|without|wrong|you|your)(?![\w=-]))`;
