/** Assembles an answer from its pieces. */
import { GrowingText } from '../../lib/growing.js';
import { isRecord, listOf, numberOf, recordOf, type JsonRecord } from '../../lib/json.js';
import { weigh } from '../../lib/json-weight.js';
import { fields, StreamFault, type Piece, type ToolPiece, type Usage } from './pieces.js';

export type ToolCall = Omit<ToolPiece, 'index' | 'name'> & { name: string };

const most = { textBytes: 2 * 1024 * 1024, restBytes: 8 * 1024 * 1024 };
/** Arguments count twice, because they are parsed, and a call counts more than its text. */
const [toolWeight, callBytes] = [2, 128];
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
  readonly #usages = new Rest();
  readonly #calls = new Map<number, ToolCall>();
  #keptBytes = 0;

  constructor(private readonly keepsText: boolean) {}

  get text(): string {
    return this.#texts.text.toString();
  }

  get reasoning(): string {
    return this.#texts.reasoning.toString();
  }

  get rest(): JsonRecord | undefined {
    return this.#rest.reply;
  }

  /** @throws StreamFault for a piece that is too much to keep; earlier ones stay. */
  add(piece: Piece): void {
    switch (piece.type) {
      case 'text':
      case 'reasoning':
        if (!this.keepsText) return;
        this.#keep(Buffer.byteLength(JSON.stringify(piece.text)) - 2);
        this.#texts[piece.type].add(piece.text);
        return;
      case 'tool_call':
        this.#addToCall(piece);
        return;
      case 'usage': {
        const known = Object.entries(piece.usage).filter(([, count]) => (count ?? null) !== null);
        this.#addRest(this.#usages, Object.fromEntries(known));
        this.usage = { ...this.#usages.reply };
        return;
      }
      case 'finish':
        this.finishReason = piece.reason;
        return;
      case 'rest':
        if (this.keepsText) this.#addRest(this.#rest, piece.rest);
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
    this.#keep(Buffer.byteLength(news.join('')) * toolWeight);
    if (id) call.id = id;
    if (name) call.name = name;
    call.arguments += more;
  }

  #keep(bytes: number): void {
    if (this.#keptBytes + bytes > most.textBytes) {
      throw new StreamFault(tooMuch, 'answer_too_large');
    }
    this.#keptBytes += bytes;
  }

  #addRest(to: Rest, piece: JsonRecord): void {
    to.add(piece);
    if (this.#rest.bytes + this.#usages.bytes <= most.restBytes) return;
    throw new StreamFault(tooMuchElse, 'answer_too_large');
  }
}

/** Texts that arrive in pieces; of any other text the last one counts. */
const growing = fields('content text reasoning reasoning_content thinking refusal arguments data');
/** Lists that arrive in pieces; any other field of a reply arrives whole. */
const inPieces = fields('choices content output');
const mostPlaces = 10_000;
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
        const isPlace = Number.isInteger(index) && index >= 0 && index < mostPlaces;
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
      return { ...former, ...Object.fromEntries(more) };
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
