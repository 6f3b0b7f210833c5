/**
 * Reads the one string that changes between events that are otherwise equal, without parsing
 * them again: 200,000 events of a long answer differ in their text alone. If two JSON texts
 * share everything before an opening quote and everything from the closing one on, and what
 * stands between holds no quote, backslash or control, they differ in that string alone.
 */
import { utf8 } from '../../http/sse.js';

const [quote, backslash, space, tilde] = [0x22, 0x5c, 0x20, 0x7e];

/** Longer events are few: parsing them costs less than keeping one. */
const mostLength = 16 * 1024;

export class DeltaTemplate {
  private before = '';
  private after = '';

  /** The changed string, decoded; undefined when the event differs elsewhere too. */
  read(data: string): string | undefined {
    const { before, after } = this;
    if (before === '' || data.length < before.length + after.length) return undefined;
    const end = data.length - after.length;
    // Equality compares in words, startsWith character by character.
    // eslint-disable-next-line @typescript-eslint/prefer-string-starts-ends-with
    if (data.slice(0, before.length) !== before || data.slice(end) !== after) return undefined;
    const changed = data.slice(before.length, end);
    let isAscii = true;
    for (let at = 0; at < changed.length; at++) {
      const code = changed.charCodeAt(at);
      if (code === quote || code === backslash || code < space) return undefined;
      if (code > tilde) isAscii = false;
    }
    return isAscii ? changed : utf8(changed);
  }

  /**
   * Learns from an event that was parsed and held nothing but `text` under `key`.
   * An event in which the place of the text is not certain teaches nothing: one that names the
   * key twice, or holds a backslash, for an escape may spell the key again.
   */
  learn(data: string, key: string, text: string): void {
    if (data.length > mostLength) return;
    const raw = Buffer.from(text, 'utf8').toString('latin1');
    const opening = new RegExp(`"${key}"\\s*:\\s*"`, 'g');
    const match = opening.exec(data);
    if (!match || opening.test(data) || data.includes('\\')) return;
    const start = match.index + match[0].length;
    if (!data.startsWith(`${raw}"`, start)) return;
    this.before = data.slice(0, start);
    this.after = data.slice(start + raw.length);
  }
}
