/** What `svc init`, `login`, `whoami` and `logout` ask and say. */
import type { UsedKind } from '../api/model-facts.js';
import type { KeyStore } from '../state/settings.js';

export interface LoginTexts {
  /** In place of the label `warning:`. */
  readonly warning: string;
  readonly aboutBaseUrl: string;
  readonly baseUrlQuestion: string;
  /** Below a base URL that was typed; `problem` is what is wrong with it, in English. */
  readonly badBaseUrl: (problem: string) => string;
  readonly createKey: string;
  readonly keyQuestion: string;
  readonly keyCommandQuestion: string;
  /** A warning of a key that does not start with `keyPrefix`. */
  readonly otherPrefix: (keyPrefix: string) => string;
  /** A warning of a key that svc could not remove from the keychain, where it has the name. */
  readonly keyStays: (which: 'new' | 'earlier', name: string) => string;
  readonly stored: (login: StoredLogin) => string;
  readonly isOverridden: string;
  /** Where nothing can be asked, and the command that sets a model. */
  readonly noDefaultModel: (command: string) => string;
  /** With a command line that asks the model, which is a placeholder where none is set. */
  readonly next: (model: string | undefined) => string;
  readonly titles: WhoamiTitles;
  readonly embedded: string;
  readonly removed: (profiles: readonly string[]) => string;
  /** Of one profile, or of any. */
  readonly noneStored: (profile: string | undefined) => string;
  readonly isStillUsed: string;
  /** What to do where the service refuses the key, by status; in other languages, also what happened. */
  readonly refusals: Readonly<Record<'login' | 'whoami', Readonly<Record<number, string>>>>;
  readonly models: ModelTexts;
}

interface StoredLogin {
  readonly store: KeyStore;
  readonly service: string;
  readonly profile: string;
  /** Undefined where the key was not verified. */
  readonly balanceRub: number | undefined;
}

/** Before the values of `svc whoami`. */
type WhoamiTitles = Readonly<Record<'service' | 'profile' | 'baseUrl' | 'key' | 'balance', string>>;

/** The choice of default models, and the first question to one. */
interface ModelTexts {
  /** What models of a kind make or do, before the one that is offered. */
  readonly kind: (kind: UsedKind) => string;
  readonly questionFor: (kind: UsedKind) => string;
  /** A choice in place of a model. */
  readonly none: string;
  readonly othersQuestion: string;
  /** The answers to it: all that are offered, one after the other, or none. */
  readonly others: Readonly<Record<'these' | 'each' | 'none', string>>;
  /** Asks for a question to a model whose price is known. */
  readonly ask: (model: string, price: string) => string;
}
