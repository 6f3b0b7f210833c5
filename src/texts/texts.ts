/** What svc says to people in their language: one record for each, so that a missing text does not compile. */
import type { HelpTitle } from '../command.js';

export interface Texts {
  readonly help: HelpTexts;
}

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
