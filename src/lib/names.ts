/** `maxTokens` as `max-tokens`. */
export function kebabCase(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A name without what makes its spelling: `contextLength`, `context_length` and `context-length` are one. */
export function spelling(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}
