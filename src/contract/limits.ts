/**
 * Every limit and default of the service, once (section 8 unless said otherwise).
 * Free of any import, so that declarations and schemas read the same numbers at no cost.
 */

/** Section 2.3. */
export const temperature = { min: 0, max: 2, default: 1 } as const;
/** Section 2.3 gives no range; a probability mass lies between 0 and 1. */
export const topP = { min: 0, max: 1 } as const;
/** Section 2.4: the token estimate counts about this many characters as one token. */
export const charactersPerToken = 4;
/** Sections 4.7 and 8: the page of the usage history. */
export const historyPage = { default: 20, max: 100 } as const;
