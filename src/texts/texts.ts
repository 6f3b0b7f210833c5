/** What svc says to people in their language: one record for each, so that a missing text does not compile. */
import type { PriceWords } from '../api/model-facts.js';
import type { HelpTitle } from '../command.js';
import type { SettingSource } from '../state/settings.js';
import type { QuestionWords } from '../terminal/types.js';
import type { CostTexts } from './cost.js';
import type { DoctorTexts } from './doctor.js';
import type { ErrorTexts } from './errors.js';
import type { LoginTexts } from './login.js';
import type { SessionTexts } from './session.js';

export interface Texts {
  readonly cost: CostTexts;
  readonly help: HelpTexts;
  readonly doctor: DoctorTexts;
  readonly errors: ErrorTexts;
  readonly login: LoginTexts;
  readonly prices: PriceWords;
  readonly questions: QuestionWords;
  readonly session: SessionTexts;
  readonly settings: SettingTexts;
  readonly sources: SourceTexts;
}

/** What `svc config set` and `unset` have done. */
interface SettingTexts {
  readonly set: (name: string, value: string, profile: string) => string;
  readonly removed: (name: string, profile: string) => string;
  readonly wasNotSet: (name: string, profile: string) => string;
}

/** Where the value of a setting came from, unless that is a flag, a variable or another setting. */
export type SourceTexts = Readonly<
  Record<'none' | Exclude<SettingSource, 'flag' | 'environment' | 'command'>, string>
>;

/** The frame of the help; what commands and options do is in English. */
export interface HelpTexts {
  readonly title: (title: HelpTitle) => string;
  /** Below svc itself, its everyday commands or all. */
  readonly rootFooter: (isFull: boolean) => string;
  /** Below a group; `svc NAME` alone may list. */
  readonly groupFooter: (name: string, isListing: boolean) => string;
  /** Below the everyday options of a command that has more. */
  readonly moreOptions: (path: string, count: number) => string;
  /** Below each command. */
  readonly commandFooter: string;
}
