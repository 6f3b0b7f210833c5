/** Makes the single binary before the tests of the bin run against it. */
import type { TestProject } from 'vitest/node';
import { makeBinary } from '../bin/package.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The single binary that is tested; without it the package is, on Node. */
    binary?: string;
  }
}

export default async function provideBinary({ provide }: TestProject): Promise<void> {
  provide('binary', await makeBinary());
}
