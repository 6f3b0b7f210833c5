/** What stays Latin in a Russian text: commands and flags, addresses, names and variables. */
const names =
  /`[^`]*`|\bsvc [a-z]+|-{1,2}[a-z][\w-]*|https?:\/\/\S+|\/[\w./-]+|\b[\w.-]+\/[\w.-]+|\b[A-Z]+_\w+|«[\w.-]+»|\b(?:Enter|sk-svc-\S*)(?!\w)/g;

/** The Latin words of four letters and more that are none of these. */
export const latinWords = (text: string) => text.replace(names, '').match(/[A-Za-z]{4,}/g) ?? [];
