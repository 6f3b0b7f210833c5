/** The settings in force: flag over environment over profile. */

export interface Settings {
  readonly profile: string;
  /** As given, checked to be a URL; undefined when nothing names one. */
  readonly baseUrl: URL | undefined;
  /** Only a key that belongs to the origin of `baseUrl`. */
  readonly key: string | undefined;
  readonly brand: string;
  /** The default model for chat. */
  readonly model: string | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  /** Below this balance a command warns once; in RUB. */
  readonly lowBalanceRub: number | undefined;
}
