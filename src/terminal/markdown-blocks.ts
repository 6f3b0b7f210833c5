/** Reads the Markdown of an answer, which may go on. */
import { Lexer, Tokenizer, type MarkedToken, type Token } from 'marked';

/** Letters of scripts with spaces between words; there, emphasis does not begin within a word. */
const letter =
  /(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai})[\p{L}\p{M}\p{N}_]$/u;
const punctuation = /[!-/:-@[-`{-~]/;
/** Emphasis does not begin with these: 2 * 3, **\/*.ts, x **= 2. */
const opensNothing = /^[\s/)\]},;=|>]/;
/** *Emphasis* does not begin after these (a.*b); **strong** does, where a space is missing. */
const opensNoItalic = /[!#-&*-/:-@\\\]^_`|}~]/;
const starRun = /^(\*+)(.?)/su;
/** `__init__` and `_x_` are names. */
const underscoredName = /^_+\w+_+(?!\w)/;
/** CommonMark does not close **“strong”**后, because a mark precedes the stars. */
const strongInChinese = /^\*\*(?![\s*])([^*\n]*[^\s*])\*\*(?!\*)/;
/** TeX keeps its brackets. */
const texBracket = /^\\[()[\]]/;
/** An address ends before the marks of other scripts. */
const foreignMark = /(?![\x00-\x7f])\p{P}/u;

/** Rules of CommonMark that would take marks away from text that is not Markdown. */
class AnswerTokenizer extends Tokenizer {
  override emStrong(src: string, masked: string, before = '') {
    const [, stars = '', next = ''] = starRun.exec(src) ?? [];
    if (stars === '') {
      return underscoredName.test(src) ? undefined : super.emStrong(src, masked, before);
    }
    const isPattern = punctuation.test(before) && punctuation.test(next);
    const isItalic = stars.length === 1;
    if (letter.test(before) || before === '*' || opensNothing.test(next) || isPattern) return;
    if (isItalic && (next === '.' || opensNoItalic.test(before))) return;
    const token = super.emStrong(src, masked, before);
    const [raw, text] = token ? [] : (strongInChinese.exec(src) ?? []);
    if (raw === undefined || text === undefined) return token;
    return { type: 'strong' as const, raw, text, tokens: this.lexer.inlineTokens(text) };
  }

  override del(src: string, masked: string, before?: string) {
    return src.startsWith('~~') ? super.del(src, masked, before) : undefined;
  }

  override escape(src: string) {
    return texBracket.test(src) ? undefined : super.escape(src);
  }

  override url(src: string) {
    const end = src.slice(0, 2000).search(foreignMark);
    return super.url(end === -1 ? src : src.slice(0, end));
  }
}

const tokenizer = new AnswerTokenizer();
/** Blocks within blocks cost a call each, and quadratic time. */
const tooDeep = /^(?:[ \t]*(?:[>+*-]|\d{1,9}[.)])){12}/m;

/** Stands for a tab at the start of code in a list, of which marked makes spaces. */
export const codeTab = '\ufdd0';
const tabsInList = /(?<=\n {2,})\t+/g;

/** The top-level blocks; each item of a list is one, because the items before the last are final. */
export function blocksOf(text: string): Token[] {
  if (tooDeep.test(text)) return [{ type: 'text', raw: text, text }];
  const source = text.replace(tabsInList, (tabs) => codeTab.repeat(tabs.length));
  const tokens: Token[] = new Lexer({ gfm: true, tokenizer }).lex(source);
  return tokens.flatMap((token) => {
    if (!isKnown(token) || token.type !== 'list') return token;
    const items = token.items.slice(0, -1);
    // The raw text of the last item lacks the line feeds that follow.
    const raw = token.raw.slice(lengthOf(items));
    return [...items, ...token.items.slice(-1).map((item) => ({ ...item, raw }))];
  });
}

export const isKnown = (token: Token): token is MarkedToken => token.type !== '';

/** What may begin something that is not closed yet; the text waits for at most so many characters. */
const opening =
  /(?<![\p{L}\p{N}\\*])\*{1,3}(?![\s*])|(?<![\w\\])_(?=\S)|~~(?=\S)|`|!?\[(?![^\]]*\](?!\())|<(?=[a-z/!][^>]*$)/giu;
const maxWait = 160;

export function finalTokens(tokens: readonly Token[], isOpen: boolean): readonly Token[] {
  if (!isOpen) return tokens;
  let rest = lengthOf(tokens);
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'text') {
      opening.lastIndex = Math.max(0, rest - maxWait);
      const mark = opening.exec(token.raw);
      const text = token.raw.slice(0, mark?.index);
      if (mark) return [...tokens.slice(0, index), { type: 'text', raw: text, text }];
    }
    rest -= token.raw.length;
  }
  return tokens;
}

const lengthOf = (tokens: readonly Token[]) => tokens.reduce((sum, { raw }) => sum + raw.length, 0);
