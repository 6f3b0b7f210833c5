/** A word of a shell's command line that is this text, whatever is in it; bare where it can be. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/** This text in single quotes, in which nothing but they means anything to a shell. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
