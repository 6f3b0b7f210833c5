/** Every limit, default and pattern (section 8 by default), without imports, as in enums.ts. */

/** From the body limit of section 7, 70953644 bytes: 50 MB in base64, and 1 MB for the rest. */
export const bytesPerMb = 1024 * 1024;

/** Section 2.3 gives no range of top_p; a probability lies between 0 and 1. */
export const temperature = { min: 0, max: 2, default: 1 } as const;
export const topP = { min: 0, max: 1 } as const;
/** Section 2.4: the token estimate counts about this many characters as one token. */
export const charactersPerToken = 4;

/** Sections 4.7 and 8. */
export const historyPage = { default: 20, max: 100 } as const;
export const capabilitiesPage = { min: 1, max: 100 } as const;

/** Sections 2.8 and 8. */
export const decisionQuestions = { min: 1, max: 20 } as const;

/** Sections 2.9 and 8. The regional form has no minimum length. */
export const search = {
  queryCharacters: { min: 1, max: 1000 },
  results: { min: 1, max: 20, default: 10 },
  requestsPerMinute: 32,
  twoLetters: /^[A-Za-z]{2}$/,
} as const;

/** Sections 2.11 and 8. */
export const media = {
  quoteIdCharacters: { max: 128 },
  quoteId: /^mq_/,
  maxPriceRub: { min: 0 },
  resultRetentionDays: 7,
  /** Section 3.1: how long a sandbox job stays at the stage submission_unknown. */
  sandboxUnknownSeconds: 60,
} as const;

/** Sections 2.12 and 8. */
export const images = {
  count: 1,
  list: { min: 1, max: 100, default: 20 },
  /** `auto`, or width by height in pixels. */
  size: /^(?:auto|[1-9][0-9]*x[1-9][0-9]*)$/,
} as const;

/** Sections 2.13 and 8. */
export const speech = {
  inputCharacters: { min: 1, max: 10_000 },
  speed: { min: 0.25, max: 4 },
} as const;

export const transcription = {
  fileBytes: 50 * bytesPerMb,
  languageCharacters: { min: 2, max: 10 },
} as const;

/** Sections 2.14, 7 and 8. */
export const voice = {
  id: /^voice_[A-Za-z0-9]{20}$/,
  samples: { min: 1, max: 25 },
  sampleBytes: 10 * bytesPerMb,
  totalBytes: 50 * bytesPerMb,
  totalSeconds: 300,
  bodyBytes: 70_953_644,
  additionsPerDay: 20,
} as const;

/** Sections 2.15 and 8. */
export const tickets = {
  subjectCharacters: { min: 3, max: 200 },
  messageCharacters: { min: 10, max: 8000 },
  replyCharacters: { min: 1, max: 8000 },
  requestIds: { max: 10, characters: { min: 1, max: 128 } },
  clientIncidentId: /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/,
  list: { min: 1, max: 100, default: 20 },
  attachments: { perRequest: 5, perTicket: 10, bytes: 10 * bytesPerMb },
  newPerHour: 10,
  repliesPerHour: 60,
} as const;

/** Sections 2.15 and 8: the legacy technical report. */
export const feedback = {
  summaryCharacters: { min: 3, max: 200 },
  detailsCharacters: { min: 10, max: 4000 },
} as const;

/** Values of the embedded service where the specification gives none, in milliseconds. */
export const embedded = { imageDeadlineMs: 60_000, ticketReplyMs: 10_000 } as const;

/** Section 2.4 requires max_tokens; svc sends this value by default. */
export const messagesMaxTokens = 4096;

/** With fewer tokens, an answer says nothing. */
export const fewestTokens = 16;
