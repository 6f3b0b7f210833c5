/** What JSON weighs, by its bytes: before it is parsed, and at a fraction of the cost. */

const quote = 0x22;
const backslash = 0x5c;

/** Counts what JSON.parse would make of the text. */
export function weigh(json: Buffer): { values: number; depth: number } {
  let values = 1;
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        values += 1;
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        values += 1;
        break;
      default:
    }
  }
  return { values, depth: deepest };
}

/** Where the string that begins at `start` ends: at a quote with an even number of backslashes before it. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}
