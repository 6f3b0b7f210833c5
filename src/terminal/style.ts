/** Whether and how a stream takes colour. */
export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

const paint =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${String(open)}m${text}\u001b[${String(close)}m`;
const plain = (text: string): string => text;

const coloured: Style = {
  dim: paint(2, 22),
  bold: paint(1, 22),
  red: paint(31, 39),
  yellow: paint(33, 39),
};
const uncoloured: Style = { dim: plain, bold: plain, red: plain, yellow: plain };

/** NO_COLOR wins, then FORCE_COLOR, then whether the stream is a terminal that is not dumb. */
export function styleFor(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): Style {
  if (env['NO_COLOR']) return uncoloured;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') {
    return forced === '0' || forced === 'false' ? uncoloured : coloured;
  }
  return isTerminal && env['TERM'] !== 'dumb' ? coloured : uncoloured;
}
