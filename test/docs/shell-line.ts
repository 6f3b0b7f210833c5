/** Finds the svc commands in lines that are meant for a shell. */

/** The words after `svc` of each svc command in a line, those inside $(…) and <(…) included. */
export function svcCommands(line: string): string[][] {
  const found: string[][] = [];
  for (const words of simpleCommands(line, found)) {
    const start = words.findIndex((word) => !/^([A-Z_]+=.*|npx|\$)$/s.test(word));
    if (words[start] === 'svc') found.push(words.slice(start + 1));
    else if (words[start] === 'node' && words[start + 1] === 'bin/svc.cjs') {
      found.push(words.slice(start + 2));
    }
  }
  return found;
}

/** One piece of a line: blanks, an operator with what it redirects to, or a part of a word. */
const piece =
  /(\s+)|(#.*$)|(\d?(?:>>|>|<(?!\())\s*[^\s|;&]+)|(\|\|?|&&|;)|'([^']*)'|"((?:\\.|[^"\\])*)"|[$<]\(([^()]*)\)|\\(.)|([^\s'"\\|;&<>$]+|\$)/gy;

/** Takes a line apart at its operators; what stands in a substitution goes to `found`. */
function simpleCommands(line: string, found: string[][]): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  let at = 0;
  for (const match of line.matchAll(piece)) {
    const [whole, blank, comment, redirect, operator, single, double, inner, escaped, bare] = match;
    at = match.index + whole.length;
    if (comment !== undefined && word !== undefined) word += comment;
    else if (blank !== undefined || comment !== undefined || redirect !== undefined) endWord();
    else if (operator !== undefined) {
      endWord();
      commands.push([]);
    } else {
      for (const hidden of [single, double]) found.push(...insideQuotes(hidden ?? ''));
      if (inner !== undefined) found.push(...svcCommands(inner));
      word = (word ?? '') + (single ?? double ?? escaped ?? bare ?? 'substituted');
    }
  }
  if (at !== line.length) throw new Error(`cannot read the line from ${line.slice(at)}`);
  endWord();
  return commands;
}

/** A quoted text may hold a line for a shell: `echo 'source <(svc completion bash)' >> FILE`. */
function insideQuotes(text: string): string[][] {
  if (text.startsWith('svc ')) return svcCommands(text);
  return Array.from(text.matchAll(/[$<]\(([^()]*)\)/g)).flatMap(([, inner = '']) =>
    svcCommands(inner),
  );
}
