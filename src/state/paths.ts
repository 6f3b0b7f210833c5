/** Where svc keeps what it must remember. Nothing is ever read from the working folder. */
export interface Paths {
  /** The folder of the config file; 0700. */
  readonly config: string;
  /** Data that must not be lost: the job ledger, the embedded service's store; 0700. */
  readonly data: string;
  /** What can be made again. */
  readonly cache: string;
}
