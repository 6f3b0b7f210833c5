/** Completion for fish 3.1 and newer. */
import { nodesOf, type Flag, type Node, type Offer, type Tree } from './tree.js';

/** The script to source, or to put into a folder of completions. */
export function fishScript({ root, globals, localModels }: Tree): string {
  const nodes = nodesOf(root);
  return `# fish completion for svc, made from its declarations.

# Prints the command that stands on the line, and how many operands follow it.
# Fails after --, where all is text.
function __svc_place
    set -l valued ${words(valuedOf(globals))}
    set -l path
    set -l operands 0
    set -l takes_value no
    for token in (commandline -opc)[2..-1]
        if test $takes_value = yes
            set takes_value no
            continue
        end
        switch $token
            case --
                return 1
            case '-*'
                contains -- $token $valued
                and set takes_value yes
            case '*'
                if contains -- "$path" ${words(nodes.filter(isParent).map(pathOf))}
                    set -a path $token
                    switch "$path"
${nodes.map(valuedCase).join('')}                    end
                else
                    set operands (math $operands + 1)
                end
        end
    end
    echo "$path"
    echo $operands
end

# Whether the command $argv[1] stands on the line. With $argv[2] and $argv[3], whether as many
# operands follow it as lie between these.
function __svc_at
    set -l place (__svc_place)
    or return
    test "$place[1]" = "$argv[1]"
    or return
    set -q argv[2]
    or return 0
    test $place[2] -ge $argv[2] -a $place[2] -le $argv[3]
end

# The models of the embedded service, when it is asked for; others only a call could tell.
function __svc_models
    contains -- --local (commandline -opc)
    and printf '%s\\n' ${words(localModels)}
end

complete -c svc -f
${globals.map((flag) => flagLine('__svc_place >/dev/null', flag)).join('')}
${nodes.map(nodeLines).join('\n')}`;
}

function nodeLines(node: Node): string {
  const at = `__svc_at ${quote(pathOf(node))}`;
  const verbs = node.children.map(({ name, summary }) =>
    line(at, [`-a ${quote(name)}`, `-d ${quote(summary)}`]),
  );
  const flags = node.flags.map((flag) => flagLine(at, flag));
  const operands = node.operands.flatMap(({ many, offer }, index) => {
    const [first, last] = [String(index), many ? '9999' : String(index)];
    return offer.kind === 'nothing' ? [] : [line(`${at} ${first} ${last}`, [offered(offer)])];
  });
  return [...verbs, ...flags, ...operands].join('');
}

function flagLine(condition: string, { spellings, summary, value }: Flag): string {
  const names = spellings.map((spelling) =>
    spelling.startsWith('--') ? `-l ${spelling.slice(2)}` : `-s ${spelling.slice(1)}`,
  );
  const takes = value ? [`-r ${offered(value.offer)}`] : [];
  return line(condition, [...names, ...takes, `-d ${quote(summary)}`]);
}

function line(condition: string, parts: readonly string[]): string {
  return `complete -c svc -n ${quote(condition)} ${parts.join(' ')}\n`;
}

function offered(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      // fish reads the text of -a once more, as words of its own.
      return `-f -a ${quote(words(offer.words))}`;
    case 'file':
      return '-F';
    case 'directory':
      return `-f -a ${quote('(__fish_complete_directories (commandline -ct))')}`;
    case 'model':
      return `-f -a ${quote('(__svc_models)')}`;
    case 'nothing':
      return '-f';
  }
}

function valuedCase(node: Node): string {
  const valued = valuedOf(node.flags);
  if (valued.length === 0 || isRoot(node)) return '';
  const indent = ' '.repeat(24);
  return `${indent}case ${quote(pathOf(node))}\n${indent}    set -a valued ${words(valued)}\n`;
}

function valuedOf(flags: readonly Flag[]): string[] {
  return flags.filter(({ value }) => value).flatMap(({ spellings }) => spellings);
}

function isParent({ children }: Node): boolean {
  return children.length > 0;
}

function isRoot({ path }: Node): boolean {
  return path.length === 0;
}

function pathOf({ path }: Node): string {
  return path.join(' ');
}

function words(texts: readonly string[]): string {
  return texts.map((text) => (/^[\w./-]+$/.test(text) ? text : quote(text))).join(' ');
}

/** One word of fish, whatever is in it. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
