/** What `svc doctor` finds, and what it says of that. */

/** As JSON and a pipe name it. */
export type CheckName =
  | 'runtime'
  | 'svc'
  | 'config'
  | 'data'
  | 'address'
  | 'clock'
  | 'proxy'
  | 'certificates'
  | 'dns'
  | 'connection'
  | 'key'
  | 'balance'
  | 'terminal'
  | 'unfinished';

/** What can be unfinished: jobs and requests without an answer, requests without a price, and more jobs. */
export type UnfinishedKind =
  'unansweredJobs' | 'unansweredRequests' | 'unpricedRequests' | 'runningJobs' | 'unsavedJobs';

/** A warning with what to do. */
interface WarningTexts {
  readonly warning: string;
  readonly hint: string;
}

export interface DoctorTexts {
  readonly checking: string;
  readonly check: (name: CheckName) => string;
  /** Above the columns; the second has marks, or words. */
  readonly titles: Readonly<Record<'check' | 'status' | 'message', string>>;
  /** The mark of a status, which is an English word where lines are read aloud. */
  readonly mark: (mark: string) => string;
  readonly hint: (words: string) => string;
  readonly notTried: (why: string) => string;
  readonly needs: (check: CheckName) => string;
  /** Below the checks that are not fine: the others, and the command that shows them. */
  readonly othersAreFine: (fine: number, skipped: number, command: string) => string;
  readonly checked: (isLocal: boolean) => string;
  readonly allIsWell: (command: string) => string;
  readonly findings: FindingTexts;
}

/** By the check, in their order. */
export interface FindingTexts {
  readonly singleBinary: (runtime: string) => string;
  /** `by` is an installer, `the install script` or `an archive`. */
  readonly installed: (version: string, by: string, path: string) => string;
  readonly notWritten: (file: string) => string;
  /** `reason` is in English, as errors have it; `code` is that of the system. */
  readonly cannotWrite: (folder: string, reason: string, code: string) => WarningTexts;
  readonly diskIsFull: (folder: string, command: string) => WarningTexts;
  readonly isShared: (paths: readonly string[]) => string;
  readonly noAnswer: string;
  readonly noDate: string;
  readonly sameTime: string;
  readonly otherTime: (aheadMs: number, command: string) => WarningTexts;
  readonly noProxy: string;
  readonly proxy: (address: string, variable: string) => string;
  readonly uncheckedCertificates: WarningTexts;
  /** With those in a file of the user. */
  readonly certificates: (file?: string) => string;
  /** Without a code of the system the file has another form. */
  readonly unusedCertificates: (file: string, reason: string, code: string) => WarningTexts;
  readonly resolves: (host: string, addresses: readonly string[]) => string;
  readonly notEncrypted: string;
  /** `until` is a date such as 2026-11-30. */
  readonly encrypted: (protocol: string, issuer: string, until: string) => string;
  readonly renewCertificate: string;
  readonly keyNotNeeded: string;
  readonly keyAccepted: (key: string, source: string) => string;
  readonly balance: (leftRub: number) => string;
  readonly lowBalance: (leftRub: number) => WarningTexts;
  readonly noTerminal: string;
  readonly terminal: (abilities: TerminalAbilities) => string;
  readonly unknownTerminal: string;
  readonly wrongLetters: string;
  readonly unfinished: (kind: UnfinishedKind, count: number) => string;
  readonly nothingUnfinished: string;
}

/** What svc knows of a terminal. */
interface TerminalAbilities {
  /** The value of TERM. */
  readonly name: string;
  readonly columns: number;
  readonly hasColours: boolean;
  /** The protocol by which it draws images. */
  readonly images: string | undefined;
  readonly locale: string | undefined;
}
