/** Markdown as plain text, for people who read a line of it among search results. */

/** Leaves the words and takes the marks away; what is no Markdown stays as it is. */
export function plainText(markdown: string): string {
  return (
    markdown
      .replace(/^---\n.*?\n---\n/s, '')
      .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
      .replace(/^ {0,3}#{1,6} +/gm, '')
      .replace(/^ {0,3}>+ ?/gm, '')
      .replace(/^ *[-*+] +/gm, '')
      // A link or an image leaves its words.
      .replace(/!?\[([^\]\n]{0,300})\]\([^()\n]{0,500}\)/g, '$1')
      .replace(/[`*]/g, '')
  );
}

/** The title that a Markdown text gives itself, or undefined. */
export function titleOf(markdown: string): string | undefined {
  const start = markdown.slice(0, 20_000);
  const heading = /^ {0,3}#{1,2} +(.+?) *#*$/m.exec(start)?.[1];
  const title = heading === undefined ? '' : plainText(heading).trim();
  return title === '' ? undefined : title;
}
