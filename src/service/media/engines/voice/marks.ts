/** What local/voice writes into its files, to find it in them again. */

/** What tells a file of ours from others. */
export const software = 'svc local/voice';

/** The field of a FLAC comment that holds the words. */
export const wordsField = 'LYRICS';
