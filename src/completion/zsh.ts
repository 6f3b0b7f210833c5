/** Completion for zsh 5 and newer. */
import { singleQuoted } from '../lib/shell-word.js';
import { nodesOf, type Flag, type Node, type Offer, type Operand, type Tree } from './tree.js';

/** The script: a function file for $fpath that may be sourced as well. */
export function zshScript({ root, globals, localModels }: Tree): string {
  const parents = nodesOf(root).filter(({ children }) => children.length > 0);
  const leaves = nodesOf(root).filter(({ children }) => children.length === 0);
  return `#compdef svc
# zsh completion for svc, made from its declarations.

_svc() {
  # Only the embedded service's models are known without a call.
  local -a svc_models
  (( \${words[(I)--local]} )) && svc_models=(${localModels.map(singleQuoted).join(' ')})
  # What follows -- is text.
  (( \${words[(i)--]} < CURRENT )) && return 1
  local -a svc_globals=(
${globals.map(specLines).join('')}  )
  _svc_at_
}

_svc_verbs() {
  _describe -t commands command svc_verbs "$@"
}

# Words of one's own: without a hint, which would keep options from being completed beside them.
_svc_text() {
  return 1
}

_svc_models() {
  (( $#svc_models )) && compadd "$@" -a svc_models
}

${[...parents.map(parentFunction), ...leaves.map(leafFunction)].join('\n')}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`;
}

/** A command that must be followed by another. */
function parentFunction(node: Node): string {
  const cases = node.children.map(
    (child) => `    ${singleQuoted(child.name)}) ${functionName(child)} && ret=0 ;;\n`,
  );
  const verbs = node.children.map(
    ({ name, summary }) =>
      `    ${singleQuoted(`${escapeColons(name)}:${summary.replaceAll('\\', '\\\\')}`)}\n`,
  );
  return `${functionName(node)}() {
  local curcontext=$curcontext state state_descr line ret=1
  local -A opt_args
  local -a svc_verbs=(
${verbs.join('')}  )
  local -a svc_specs=(
${node.flags.map(specLines).join('')}    '(-)1:command:_svc_verbs'
    '(-)*:: :->rest'
  )
  _arguments -C -s -S "\${svc_globals[@]}" "\${svc_specs[@]}" && ret=0
  [[ $state == rest ]] && case $line[1] in
${cases.join('')}  esac
  return ret
}
`;
}

function leafFunction(node: Node): string {
  const specs = [...node.flags.map(specLines), ...node.operands.map(operandLine)];
  return `${functionName(node)}() {
  local -a svc_specs=(
${specs.join('')}  )
  _arguments -s -S "\${svc_globals[@]}" "\${svc_specs[@]}"
}
`;
}

function functionName({ path }: Node): string {
  return `_svc_at_${path.join('_').replaceAll('-', '_')}`;
}

/** `'(-m --model)'{-m+,--model=}'[the model]:ID:_files'` */
function specLines({ spellings, summary, value, repeats }: Flag): string {
  const text = `[${summary.replace(/[\\\][:]/g, '\\$&')}]${value ? `:${escapeColons(value.word)}:${action(value.offer)}` : ''}`;
  return spellings
    .map((spelling) => {
      const group = repeats ? '*' : spellings.length > 1 ? `(${spellings.join(' ')})` : '';
      const takes = value ? (spelling.startsWith('--') ? '=' : '+') : '';
      return `    ${singleQuoted(`${group}${spelling}${takes}${text}`)}\n`;
    })
    .join('');
}

function operandLine({ name, required, many, offer }: Operand): string {
  const place = many ? '*:' : required ? ':' : '::';
  const what = offer.kind === 'nothing' ? '_svc_text' : action(offer);
  return `    ${singleQuoted(`${place}${escapeColons(name)}:${what}`)}\n`;
}

function action(offer: Offer): string {
  switch (offer.kind) {
    case 'words':
      return `(${offer.words.map((one) => one.replace(/[\s\\():"'$`]/g, '\\$&')).join(' ')})`;
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'model':
      return '_svc_models';
    case 'nothing':
      return ' ';
  }
}

/** A colon would end the part of a spec that it stands in. */
function escapeColons(text: string): string {
  return text.replace(/[\\:]/g, '\\$&');
}
