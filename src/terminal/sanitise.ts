/**
 * Makes untrusted text harmless to a terminal. Works code unit by code unit, without state, so
 * that no way of splitting the text lets a sequence through.
 *
 * Line feeds and tabs stay. Other C0 controls and DEL become their control pictures (ESC is
 * shown as ␛), carriage returns go, C1 controls become U+FFFD, and the characters that reorder
 * text (bidirectional controls) go.
 */
const live =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function harmlessUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  if (code === 0x0d) return '';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  if (code < 0xa0) return '\ufffd';
  return '';
}

/** The text with every live control removed or made visible. */
export function sanitise(text: string): string {
  return text.replace(live, harmlessUnit);
}

/** The same for JSON: the controls that JSON leaves bare are escaped, so the value stays equal. */
export function sanitiseJson(json: string): string {
  return json.replace(live, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
