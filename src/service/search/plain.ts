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
      // Comments, and tags that are surely tags: <name> alone may be a word to fill in.
      .replace(/<!--[^>]{0,500}-->|<\/[a-z]\w{0,20}>|<[a-z]\w{0,20} [^<>\n]{0,500}>/gi, '')
      // Where the links of a text lead to stands at its end.
      .replace(/^ {0,3}\[[^\]\n]{1,300}\]: \S.*$/gm, '')
      // A link or an image leaves its words.
      .replace(/!?\[([^\]\n]{0,300})\](?:\([^()\n]{0,500}\)|\[[^\]\n]{0,300}\])/g, '$1')
      .replace(/[`*]/g, '')
  );
}

/** A Markdown text in two: the title that it gives itself, if it does, and the rest. */
export function splitTitle(markdown: string): { title?: string; rest: string } {
  const found = /^ {0,3}#{1,2} +(.+?) *#*$/m.exec(markdown.slice(0, 20_000));
  const title = plainText(found?.[1] ?? '').trim();
  if (!found || title === '') return { rest: markdown };
  const end = found.index + found[0].length;
  return { title, rest: markdown.slice(0, found.index) + markdown.slice(end) };
}
