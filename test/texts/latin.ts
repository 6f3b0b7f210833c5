/** What stays Latin in a Russian text: commands and flags, addresses, names, variables, measures. */
const names =
  /`[^`]*`|\bsvc [a-z]+|-{1,2}[a-z][\w-]*|https?:\/\/\S+|\/[\w./-]+|\b[\w.-]+\/[\w.-]+|\bSVC_\w+|«[\w.-]+»|\b(?:Enter|ctrl\+t|svc|sk-svc-\S*)(?!\w)/g;

/** The Latin words of four letters and more that are none of these. */
export function latinWords(text: string): readonly string[] {
  return text.replace(names, '').match(/[A-Za-z]{4,}/g) ?? [];
}
