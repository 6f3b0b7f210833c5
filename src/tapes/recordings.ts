/** The exchanges of a tape by their requests: one look-up finds an answer, however long the tape is. */
import { hash } from 'node:crypto';
import { LocalFileError } from '../errors.js';
import { canonicalJson } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import { redact } from '../lib/redact.js';
import { stepsOf, without } from './ignore.js';
import type { Line, NotedAnswer, NotedRequest, TapeFile } from './tape.js';

/** Of those with the same path, the last ones are compared with a request that is not there. */
const maxCompared = 100;
const max = { fields: 5, text: 60, paths: 3 } as const;

/** The lines of one request, in their order. */
interface Takes {
  readonly lines: Line[];
  played: number;
}

export class Recordings {
  readonly #takes = new Map<string, Takes>();
  readonly #byPath = new Map<string, Line[]>();
  #ignored: (readonly string[])[] = [];

  /** @throws LocalFileError */
  constructor(private readonly file: TapeFile) {
    const ignore = (paths: readonly string[]) => {
      this.#ignored.push(...paths.map((path) => this.#stepsOf(path)));
    };
    file.read(ignore, ({ request }, line) => {
      this.#takesOf(request).lines.push(line);
      const place = placeOf(request);
      const lines = this.#byPath.get(place) ?? [];
      this.#byPath.set(place, [...lines.slice(1 - maxCompared), line]);
    });
  }

  /** The n-th recorded answer for the n-th time that the request is made; the last one repeats. */
  next(request: NotedRequest): NotedAnswer | undefined {
    const takes = this.#takes.get(this.#keyOf(request));
    const one = takes?.lines[Math.min(takes.played, takes.lines.length - 1)];
    if (!takes || !one) return undefined;
    takes.played += 1;
    return this.file.exchangeAt(one).answer;
  }

  /** How the request differs from the nearest recorded one, in a few words. */
  difference(request: NotedRequest): string {
    const lines = this.#byPath.get(placeOf(request)) ?? [];
    const wanted = fieldsOf(this.#countedIn(request));
    let nearest: string[] | undefined;
    for (const line of lines) {
      const there = fieldsOf(this.#countedIn(this.file.exchangeAt(line).request));
      const differing = differences(there, wanted);
      if (!nearest || differing.length < nearest.length) nearest = differing;
    }
    if (!nearest) {
      const paths = [...this.#byPath.keys()];
      const shown = paths.slice(0, max.paths).map(shortened).join(', ');
      const more = paths.length > max.paths ? ` and ${paths.length - max.paths} more` : '';
      return `it has ${shown === '' ? 'no exchange' : shown + more}`;
    }
    const more = nearest.length - max.fields;
    const shown = nearest.slice(0, max.fields).join('; ');
    return `the nearest recorded request differs in ${shown}${more > 0 ? `; and ${more} more` : ''}`;
  }

  #takesOf(request: NotedRequest): Takes {
    const key = this.#keyOf(request);
    const takes = this.#takes.get(key) ?? { lines: [], played: 0 };
    this.#takes.set(key, takes);
    return takes;
  }

  #keyOf(request: NotedRequest): string {
    return hash('sha256', canonicalJson(this.#countedIn(request)));
  }

  #countedIn({ json, form, ...rest }: NotedRequest): unknown {
    return {
      ...rest,
      json: json === undefined ? undefined : without(json, this.#ignored),
      form: form?.filter(({ name }) => !this.#ignored.some((path) => path.join('.') === name)),
    };
  }

  #stepsOf(path: string): readonly string[] {
    const steps = stepsOf(path);
    if (steps) return steps;
    throw new LocalFileError(`${this.file.path}: not a JSON path: ${plainText(path, 100)}`, {
      code: 'tape_damaged',
      hint: "write it like $.metadata.id, $.messages[0]['a b'] or $.tools[*].id",
    });
  }
}

const placeOf = ({ method, path }: NotedRequest): string => `${method} ${path.split('?', 1)[0]}`;

/** The values in a JSON value by their paths; a record or list has those of what it holds. */
function fieldsOf(value: unknown, path = '$', fields = new Map<string, string>()) {
  const isHolder = typeof value === 'object' && value !== null;
  if (!isHolder) return value === undefined ? fields : fields.set(path, JSON.stringify(value));
  for (const [name, inner] of Object.entries(value)) {
    fieldsOf(inner, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, fields);
  }
  return fields;
}

function differences(there: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>) {
  const names = [...new Set([...there.keys(), ...wanted.keys()])];
  return names
    .filter((name) => there.get(name) !== wanted.get(name))
    .map((name) => {
      const [before = '', now = ''] = [there, wanted].map((all) => all.get(name) ?? 'nothing');
      // Of long texts the part that differs.
      let from = 0;
      while (from < now.length && before[from] === now[from]) from += 1;
      const part = (text: string) =>
        from < max.text / 2 ? shortened(text) : `…${shortened(text.slice(from - 10))}`;
      const field = shortened(name.replace('$.json', '$'));
      return `${field}: recorded ${part(before)}, asked ${part(now)}`;
    });
}

const shortened = (text: string): string => {
  const plain = plainText(redact(text), 500);
  return plain.length > max.text ? `${plain.slice(0, max.text - 1)}…` : plain;
};
