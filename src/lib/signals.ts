/** The signals that svc gets from outside. */
export interface Signals {
  /** Set while a program runs in place of svc: it gets them, and decides when to end. */
  passOn?: (signal: NodeJS.Signals) => void;
}
