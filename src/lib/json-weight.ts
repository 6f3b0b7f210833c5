/** The number of values and the depth of JSON, counted before it is parsed. */

/** What is deeper was made to break its reader; what is not can be written out again. */
export const maxDepth = 500;

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts what JSON.parse would create, at a fraction of its cost. */
export function weigh(json: Uint8Array): { values: number; depth: number } {
  let values = 1;
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === comma) values += 1;
    else if (byte === openList || byte === openObject) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === closeList || byte === closeObject) depth -= 1;
  }
  return { values, depth: deepest };
}

/** A quote after an even number of backslashes ends a string. */
function endOfString(json: Uint8Array, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end !== -1; end = json.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}
