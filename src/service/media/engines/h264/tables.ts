/**
 * The variable-length codes of coefficients (ITU-T H.264, tables 9-5 and 9-7 to 9-10). A code is
 * a pair of lists: how many bits, and their value.
 */
export interface Codes {
  readonly lengths: readonly number[];
  readonly values: readonly number[];
}

/**
 * coeff_token by how many neighbours' coefficients there are: 0–1, 2–3, 4–7. The index is four
 * times the number of coefficients, plus that of trailing ones.
 */
// prettier-ignore
export const coefficientTokens: readonly [Codes, Codes, Codes] = [
  {
    lengths: [
      1, 0, 0, 0, 6, 2, 0, 0, 8, 6, 3, 0, 9, 8, 7, 5, 10, 9, 8, 6, 11, 10, 9, 7,
      13, 11, 10, 8, 13, 13, 11, 9, 13, 13, 13, 10, 14, 14, 13, 11, 14, 14, 14, 13,
      15, 15, 14, 14, 15, 15, 15, 14, 16, 15, 15, 15, 16, 16, 16, 15, 16, 16, 16, 16,
      16, 16, 16, 16,
    ],
    values: [
      1, 0, 0, 0, 5, 1, 0, 0, 7, 4, 1, 0, 7, 6, 5, 3, 7, 6, 5, 3, 7, 6, 5, 4,
      15, 6, 5, 4, 11, 14, 5, 4, 8, 10, 13, 4, 15, 14, 9, 4, 11, 10, 13, 12,
      15, 14, 9, 12, 11, 10, 13, 8, 15, 1, 9, 12, 11, 14, 13, 8, 7, 10, 9, 12,
      4, 6, 5, 8,
    ],
  },
  {
    lengths: [
      2, 0, 0, 0, 6, 2, 0, 0, 6, 5, 3, 0, 7, 6, 6, 4, 8, 6, 6, 4, 8, 7, 7, 5,
      9, 8, 8, 6, 11, 9, 9, 6, 11, 11, 11, 7, 12, 11, 11, 9, 12, 12, 12, 11,
      12, 12, 12, 11, 13, 13, 13, 12, 13, 13, 13, 13, 13, 14, 13, 13, 14, 14, 14, 13,
      14, 14, 14, 14,
    ],
    values: [
      3, 0, 0, 0, 11, 2, 0, 0, 7, 7, 3, 0, 7, 10, 9, 5, 7, 6, 5, 4, 4, 6, 5, 6,
      7, 6, 5, 8, 15, 6, 5, 4, 11, 14, 13, 4, 15, 10, 9, 4, 11, 14, 13, 12,
      8, 10, 9, 8, 15, 14, 13, 12, 11, 10, 9, 12, 7, 11, 6, 8, 9, 8, 10, 1,
      7, 6, 5, 4,
    ],
  },
  {
    lengths: [
      4, 0, 0, 0, 6, 4, 0, 0, 6, 5, 4, 0, 6, 5, 5, 4, 7, 5, 5, 4, 7, 5, 5, 4,
      7, 6, 6, 4, 7, 6, 6, 4, 8, 7, 7, 5, 8, 8, 7, 6, 9, 8, 8, 7, 9, 9, 8, 8,
      9, 9, 9, 8, 10, 9, 9, 9, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
    ],
    values: [
      15, 0, 0, 0, 15, 14, 0, 0, 11, 15, 13, 0, 8, 12, 14, 12, 15, 10, 11, 11,
      11, 8, 9, 10, 9, 14, 13, 9, 8, 10, 9, 8, 15, 14, 13, 13, 11, 14, 10, 12,
      15, 10, 13, 12, 11, 14, 9, 12, 8, 10, 13, 8, 13, 7, 9, 12, 9, 12, 11, 10,
      5, 8, 7, 6, 1, 4, 3, 2,
    ],
  },
];

/** coeff_token of the four chroma DC coefficients. */
// prettier-ignore
export const chromaToken: Codes = {
  lengths: [2, 0, 0, 0, 6, 1, 0, 0, 6, 6, 3, 0, 6, 7, 7, 6, 6, 8, 8, 7],
  values: [1, 0, 0, 0, 7, 1, 0, 0, 4, 6, 1, 0, 3, 3, 2, 5, 2, 3, 2, 0],
};

/** total_zeros by the number of coefficients less one. */
// prettier-ignore
export const totalZeros: readonly Codes[] = [
  {
    lengths: [1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 9],
    values: [1, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 1],
  },
  {
    lengths: [3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 6],
    values: [7, 6, 5, 4, 3, 5, 4, 3, 2, 3, 2, 3, 2, 1, 0],
  },
  {
    lengths: [4, 3, 3, 3, 4, 4, 3, 3, 4, 5, 5, 6, 5, 6],
    values: [5, 7, 6, 5, 4, 3, 4, 3, 2, 3, 2, 1, 1, 0],
  },
  {
    lengths: [5, 3, 4, 4, 3, 3, 3, 4, 3, 4, 5, 5, 5],
    values: [3, 7, 5, 4, 6, 5, 4, 3, 3, 2, 2, 1, 0],
  },
  { lengths: [4, 4, 4, 3, 3, 3, 3, 3, 4, 5, 4, 5], values: [5, 4, 3, 7, 6, 5, 4, 3, 2, 1, 1, 0] },
  { lengths: [6, 5, 3, 3, 3, 3, 3, 3, 4, 3, 6], values: [1, 1, 7, 6, 5, 4, 3, 2, 1, 1, 0] },
  { lengths: [6, 5, 3, 3, 3, 2, 3, 4, 3, 6], values: [1, 1, 5, 4, 3, 3, 2, 1, 1, 0] },
  { lengths: [6, 4, 5, 3, 2, 2, 3, 3, 6], values: [1, 1, 1, 3, 3, 2, 2, 1, 0] },
  { lengths: [6, 6, 4, 2, 2, 3, 2, 5], values: [1, 0, 1, 3, 2, 1, 1, 1] },
  { lengths: [5, 5, 3, 2, 2, 2, 4], values: [1, 0, 1, 3, 2, 1, 1] },
  { lengths: [4, 4, 3, 3, 1, 3], values: [0, 1, 1, 2, 1, 3] },
  { lengths: [4, 4, 2, 1, 3], values: [0, 1, 1, 1, 1] },
  { lengths: [3, 3, 1, 2], values: [0, 1, 1, 1] },
  { lengths: [2, 2, 1], values: [0, 1, 1] },
  { lengths: [1, 1], values: [0, 1] },
];

/** total_zeros of chroma DC. */
export const chromaZeros: readonly Codes[] = [
  { lengths: [1, 2, 3, 3], values: [1, 1, 1, 0] },
  { lengths: [1, 2, 2], values: [1, 1, 0] },
  { lengths: [1, 1], values: [1, 0] },
];

/** run_before by the zeros that are left, less one; the last serves all above six. */
// prettier-ignore
export const runs: readonly Codes[] = [
  { lengths: [1, 1], values: [1, 0] },
  { lengths: [1, 2, 2], values: [1, 1, 0] },
  { lengths: [2, 2, 2, 2], values: [3, 2, 1, 0] },
  { lengths: [2, 2, 2, 3, 3], values: [3, 2, 1, 1, 0] },
  { lengths: [2, 2, 3, 3, 3, 3], values: [3, 2, 3, 2, 1, 0] },
  { lengths: [2, 3, 3, 3, 3, 3, 3], values: [3, 0, 1, 3, 2, 5, 4] },
  {
    lengths: [3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    values: [7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  },
];
