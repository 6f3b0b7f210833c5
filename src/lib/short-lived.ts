/** For programs that read without end and keep nothing. */
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the room small that new objects are made in. It grows to 32 MB and more when many of them
 * come, and what they hold outside of it, as buffers do, waits as long to be freed; where nearly
 * nothing is kept, clearing a small room often costs little.
 */
export function keepLittleGarbage(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
