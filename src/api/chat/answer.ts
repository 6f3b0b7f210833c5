/** Assembles an answer from its pieces. */
import { GrowingText } from '../../lib/growing.js';
import { isRecord, listOf, numberOf, recordOf, withDigits } from '../../lib/json.js';
import type { JsonRecord } from '../../lib/json.js';
import { weigh } from '../../lib/json-weight.js';
import { fields, StreamFault, type Piece, type ToolPiece, type Usage } from './pieces.js';

export type ToolCall = Omit<ToolPiece, 'index' | 'name'> & { name: string };

const [maxTextBytes, maxRestBytes] = [2 * 1024 * 1024, 8 * 1024 * 1024];
/** Arguments count twice, because they are parsed, and a call counts more than its text. */
const [toolWeight, callBytes] = [2, 128];
const bytesOf = (text: string) => Buffer.byteLength(text);
const tooMuch = 'it is too large: svc keeps 2 MiB of text or 1 MiB of tool calls';
const tooMuchElse = 'it is too large: svc keeps 8 MiB in addition to its text';

export class Answer {
  id?: string;
  model?: string;
  usage?: Usage;
  finishReason?: string;
  readonly toolCalls: ToolCall[] = [];
  readonly #texts = { text: new GrowingText(), reasoning: new GrowingText() };
  readonly #rest = new Rest();
  readonly #calls = new Map<number, ToolCall>();
  readonly #items: { index: number; item: JsonRecord; textAt: number; reasoningAt: number }[] = [];
  #keptBytes = 0;
  #itemBytes = 0;

  constructor(
    private readonly keepsText: boolean,
    /** The blocks or output items, which a conversation returns. */
    private readonly keepsItems = false,
    /** In place of the bytes of JSON, because that is faster. */
    private readonly countsCharacters = false,
  ) {}

  get text(): string {
    return this.#texts.text.toString();
  }

  get reasoning(): string {
    return this.#texts.reasoning.toString();
  }

  get rest(): JsonRecord | undefined {
    return this.#rest.reply;
  }

  /** The blocks or output items in order, each with the text that arrived in it. */
  get items() {
    return this.#items.map(({ textAt, reasoningAt, ...item }, place) => ({
      ...item,
      text: this.text.slice(textAt, this.#items[place + 1]?.textAt),
      reasoning: this.reasoning.slice(reasoningAt, this.#items[place + 1]?.reasoningAt),
    }));
  }

  /** @throws StreamFault for a piece that is too much to keep; earlier ones stay. */
  add(piece: Piece): void {
    switch (piece.type) {
      case 'text':
      case 'reasoning':
        if (!this.keepsText) return;
        this.#keep(
          this.countsCharacters ? piece.text.length : bytesOf(JSON.stringify(piece.text)) - 2,
        );
        this.#texts[piece.type].add(piece.text);
        return;
      case 'tool_call':
        this.#addToCall(piece);
        return;
      case 'usage':
        this.usage = { ...this.usage, ...piece.usage };
        return;
      case 'finish':
        this.finishReason = piece.reason;
        return;
      case 'rest':
        if (this.keepsText) this.#addRest(piece.rest);
        return;
      case 'item':
        if (this.keepsItems) this.#addItem(piece.index, piece.item);
        return;
      case 'about':
        if (piece.id) this.id = piece.id;
        if (piece.model) this.model = piece.model;
        return;
      case 'end':
    }
  }

  #addToCall({ index, id, name, arguments: more }: ToolPiece): void {
    let call = this.#calls.get(index);
    if (!call) {
      this.#keep(callBytes * toolWeight);
      call = { name: '', arguments: '' };
      this.#calls.set(index, call);
      this.toolCalls.push(call);
    }
    // Some services repeat id and name on every piece.
    const news = [more, id === call.id ? '' : id, name === call.name ? '' : name];
    this.#keep(bytesOf(news.join('')) * toolWeight);
    if (id) call.id = id;
    if (name) call.name = name;
    call.arguments += more;
  }

  #addItem(index: number, item: JsonRecord): void {
    this.#itemBytes += weightOf(item);
    if (this.#itemBytes > maxRestBytes) throw new StreamFault(tooMuchElse, 'answer_too_large');
    const known = this.#items.find((one) => one.index === index);
    if (known) known.item = { ...known.item, ...item };
    else {
      const { text, reasoning } = this.#texts;
      this.#items.push({ index, item, textAt: text.length, reasoningAt: reasoning.length });
    }
  }

  #keep(bytes: number): void {
    if (this.#keptBytes + bytes > maxTextBytes) {
      throw new StreamFault(tooMuch, 'answer_too_large');
    }
    this.#keptBytes += bytes;
  }

  #addRest(piece: JsonRecord): void {
    this.#rest.add(piece);
    if (this.#rest.bytes <= maxRestBytes) return;
    throw new StreamFault(tooMuchElse, 'answer_too_large');
  }
}

/** Texts that arrive in pieces; of any other text the last one counts. */
const growing = fields('content text reasoning reasoning_content thinking refusal arguments data');
/** Fields that arrive in pieces; any other field of a reply arrives whole. */
const inPieces = fields('choices content output usage');
const maxPlaces = 10_000;
/** The memory of a value, or of a link between two pieces of a text. */
const valueBytes = 64;

/** Joins the pieces of a reply; `bytes` is the memory that they use. */
class Rest {
  bytes = 0;
  reply: JsonRecord | undefined;

  add(piece: JsonRecord): void {
    this.reply = recordOf(this.#joined(this.reply, piece, '', true));
  }

  #joined(before: unknown, piece: unknown, name: string, isReply = false): unknown {
    if (Array.isArray(piece)) {
      const list: unknown[] = Array.isArray(before) ? before : [];
      for (const item of listOf(piece)) {
        const index = numberOf(recordOf(item)['index']) ?? -1;
        const isPlace = Number.isInteger(index) && index >= 0 && index < maxPlaces;
        const at = isPlace ? index : list.length;
        const before = list[at];
        // An item of the output arrives whole, perhaps twice.
        const isWhole = name === 'output';
        list[at] = isWhole ? this.#replaced(before, item) : this.#joined(before, item, '');
      }
      return list;
    }
    if (isRecord(piece)) {
      const former = recordOf(before);
      const more = Object.entries(piece).map(([inner, value]): [string, unknown] => {
        const [old, isWhole] = [former[inner], isReply && !Object.hasOwn(inPieces, inner)];
        return [inner, isWhole ? this.#replaced(old, value) : this.#joined(old, value, inner)];
      });
      return withDigits({ ...former, ...Object.fromEntries(more) }, piece);
    }
    if (typeof piece === 'string' && typeof before === 'string' && Object.hasOwn(growing, name)) {
      this.bytes += weightOf(piece);
      return before + piece;
    }
    return this.#replaced(before, piece ?? before);
  }

  #replaced(before: unknown, value: unknown): unknown {
    this.bytes += weightOf(value) - weightOf(before);
    return value;
  }
}

function weightOf(value: unknown): number {
  if (value === undefined) return 0;
  const json = Buffer.from(JSON.stringify(value));
  return json.length + valueBytes * weigh(json).values;
}
