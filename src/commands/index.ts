/** Every command, as data. Importing this loads no command's code. */
import type { Entry } from '../cli/declaration.js';
import { chat } from './chat/index.js';

export const entries: readonly Entry[] = [chat];
