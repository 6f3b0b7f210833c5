/** The options by which a request gives its source files (section 2.11). */
import * as z from 'zod/mini';
import type { SourceForm, SourceKind, SourceReference, SourceSlot } from './types.js';

const forms: readonly SourceForm[] = ['url', 'base64', 'file_id'];

const formWords: Readonly<Record<SourceForm, string>> = {
  url: 'by its http(s) URL',
  base64: 'as base64 text or a data: URL',
  file_id: 'by the id that POST /v1/files gave it',
};

interface Field {
  readonly name: string;
  readonly kind: SourceKind;
  readonly form: SourceForm;
}

/** The options that can fill a slot. */
export function slotFields({ kinds }: SourceSlot): readonly Field[] {
  return kinds.flatMap((kind) => forms.map((form) => ({ name: `${kind}_${form}`, kind, form })));
}

/** The schemas of the options of all slots, by name. */
export function slotShape(slots: readonly SourceSlot[]) {
  const entries = slots.flatMap((slot) =>
    slotFields(slot).map(({ name, form }) => {
      const text = form === 'url' ? z.url({ protocol: /^https?$/ }) : z.string();
      const described = text.check(
        z.minLength(1),
        z.describe(`${slot.purpose}, ${formWords[form]}`),
      );
      return [name, z.optional(described)] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** What JSON Schema says of the slots: exactly one option of each. */
export function slotRules(slots: readonly SourceSlot[]): object {
  if (slots.length === 0) return {};
  const rules = slots.map((slot) => ({
    oneOf: slotFields(slot).map(({ name }) => ({ required: [name] })),
  }));
  return { allOf: rules };
}

/** One sentence for each slot that not exactly one option fills; it follows the word `opts`. */
export function slotFaults(
  slots: readonly SourceSlot[],
  opts: Readonly<Record<string, unknown>>,
): readonly string[] {
  return slots.flatMap((slot) => {
    const names = slotFields(slot).map(({ name }) => name);
    if (names.filter((name) => opts[name] !== undefined).length === 1) return [];
    return [`needs exactly one of ${names.join(', ')}: ${slot.purpose}`];
  });
}

/** The sources that a request names. */
export function references(
  slots: readonly SourceSlot[],
  opts: Readonly<Record<string, unknown>>,
): readonly SourceReference[] {
  return slots.flatMap(slotFields).flatMap(({ name, kind, form }) => {
    const value = opts[name];
    return typeof value === 'string' ? [{ kind, form, field: `opts.${name}`, value }] : [];
  });
}
