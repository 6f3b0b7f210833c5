/** Words that must not come back: svc speaks plain technical English, to people and in its code. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import ts from 'typescript';
import { pages, root } from './pages.js';

type Rule = readonly [pattern: RegExp, instead: string];

/** A space of a pattern stands for any white space. */
const rules = (patterns: readonly (readonly [pattern: string, instead: string])[]) =>
  patterns.map(([pattern, instead]): Rule => {
    const words = pattern.replaceAll(' ', '\\s+');
    return [new RegExp(String.raw`(?<![\w\x60-])(?:${words})`, 'gi'), instead];
  });

/** Nowhere: not in what people see, and not in comments. */
const never = rules([
  [String.raw`heed(?:s|ed)?`, 'read, follow'],
  ['anew|afresh', 'again'],
  ['begun', 'started'],
  ['unasked', 'without asking'],
  ['whoever', 'the person who; the speaker'],
  ['parted by', 'separated by'],
  [String.raw`(?:is|are|was|were|be|been) told`, 'is shown, is notified'],
  ['tells? (?:of|the price|nothing)', 'show, report'],
  ['the usual (?:one|profile)', 'the default profile'],
  ['made from here', 'started on this machine'],
  ['go(?:es|ing)? on with', 'continue with'],
  ['where chance begins', 'seed'],
  ['take(?:s|n)? (?:it|them) away', 'remove'],
  ['go together', 'be used together'],
  ['nobody can be asked', 'there is no terminal to ask on'],
  ['br(?:eaks?|oke|oken) off', 'truncated, interrupted, cut off'],
  ['g(?:ets?|ot) lost', 'is lost'],
  ['under way', 'running, in progress'],
  ['brought back', 'restored, undone'],
  ['to be had', 'available'],
  ['holds? no', 'contains no, is not'],
  ['is not whole|are not whole', 'is incomplete'],
  ['stands? (?:on|in|at|there)(?! for)', 'is'],
  [', for (?:they|it|there|then|this|only|the)', ', because'],
  ['hence|thus|therein', 'therefore'],
  [
    '(?<!there )(?:is|are|was|were) no (?!longer|more|less|larger|better|sooner|older|newer|such)',
    'is not a',
  ],
]);

/** Not in what people see. */
const neverShown = rules([
  ['(?:writes?|wrote|written) down', 'transcribe, save'],
  ['by (?:itself|themselves)', 'automatically, alone'],
  ['all the same', 'anyway'],
  ['as (?:it|they) stands?', 'unchanged'],
  ['ask(?:s|ed)? nothing', 'no questions'],
  ['besides', 'in addition to'],
  ['brings? about', 'cause'],
  ['come back', 'try again, check later'],
  ['go(?:es|ing|ne)? on(?! (?:stdout|stderr|disk|top))', 'continue'],
  ['in force', 'current'],
  ['(?:is|was|are|were) there already', 'already exists'],
  ['not proved|prov(?:es?|ing) (?:it|them)', 'check'],
  ['what is known', 'the details'],
  ['leave (?:\\S+ )?out', 'omit'],
  ['no \\w+ is (?:named|known)', 'no … given, no … set'],
  ['none of svc', 'not created by svc'],
  ['(?:knows|names|takes|tells) no', 'does not'],
  ['of (?:your|an?) own', 'your own'],
  ['one an? (?:line|page|key|model|voice)|a line each', 'one per line'],
  ['piece by piece', 'in pieces'],
  ['somebody', 'a person'],
  ['unseen', 'without echo, hidden'],
  ['wants', 'needs'],
  ['w(?:in|ins|on) over', 'override'],
  ['what (?:came|comes|is piped in|is attached|was heard|is heard)', 'stdin, the text'],
]);

interface Text {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly isShown: boolean;
}

function* textsOf(path: string): Iterable<Text> {
  const code = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest);
  const at = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const comments = new Map<number, string>();
  const shown: Text[] = [];
  const seen = new Set<number>();
  const visit = (node: ts.Node) => {
    // A node and its first child begin with the same comments.
    const ranges = seen.has(node.pos) ? [] : ts.getLeadingCommentRanges(code, node.pos);
    seen.add(node.pos);
    for (const { pos, end } of ranges ?? []) {
      comments.set(pos, code.slice(pos, end).replace(/\n\s*\*/g, '\n'));
    }
    // A literal without a space is a key or a code.
    const isText = ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node);
    if (isText && /\S\s+\S/.test(node.text)) {
      shown.push({ path, line: at(node.getStart(file)), text: node.text, isShown: true });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  yield* shown;
  for (const [pos, text] of comments) yield { path, line: at(pos), text, isShown: false };
}

function* offencesIn({ path, line, text, isShown }: Text): Iterable<string> {
  for (const [rule, instead] of isShown ? [...never, ...neverShown] : never) {
    for (const { 0: found, index } of text.matchAll(rule)) {
      if (/^\w/.test(text.slice(index + found.length)) && /\w$/.test(found)) continue;
      const lineBreaks = text.slice(0, index).split('\n').length - 1;
      const around = text.slice(Math.max(0, index - 30), index + found.length + 30);
      const quoted = JSON.stringify(around.replaceAll(/\s+/g, ' '));
      yield `${path}:${line + lineBreaks} ${quoted}: "${found.trim()}" -> ${instead}`;
    }
  }
}

/** Generated from the declarations. */
const notWritten = new Set(['docs/reference.md']);

test('no text or comment has a word that must not come back', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [...textsOf(`src/${name}`)]);
  const scripts = readdirSync(join(root, 'completions')).map((name) => `completions/${name}`);
  const whole = [
    ...pages.filter(({ path }) => !notWritten.has(path)),
    ...scripts.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  ].map((page): Text => ({ ...page, line: 1, isShown: true }));
  expect(whole.length).toBeGreaterThan(10);
  expect(sources.length).toBeGreaterThan(3000);
  const offences = [...sources, ...whole].flatMap((text) => [...offencesIn(text)]);
  expect(offences, `\n${offences.join('\n')}\n`).toEqual([]);
});

test.each([
  'svc heeds these',
  'md.md is text and is no recording',
  'parted\n by tabs',
  'the Price is told first',
])('the words of "%s" are found', (text) => {
  expect([...offencesIn({ path: '', line: 1, text, isShown: true })]).not.toEqual([]);
});

test.each(['there is no model of that name', 'it is no longer there', 'needs one'])(
  '"%s" is plain English',
  (text) => {
    expect([...offencesIn({ path: '', line: 1, text, isShown: true })]).toEqual([]);
  },
);
