/** Ids that never repeat, whatever the clock of a test says. */
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** 24 random lower-case letters and digits. */
export type RandomId = () => string;

export const randomId: RandomId = () => {
  let id = '';
  // 252 is the largest multiple of 36 in a byte: above it letters would not be equally likely.
  while (id.length < 24) {
    for (const byte of randomBytes(32)) {
      if (byte < 252 && id.length < 24) id += alphabet.charAt(byte % 36);
    }
  }
  return id;
};
