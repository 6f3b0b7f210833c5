import type { Texts } from '../texts.js';
import { help } from './help.js';

export const ru: Texts = { help };
