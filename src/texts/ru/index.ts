import type { Texts } from '../texts.js';
import { doctor } from './doctor.js';
import { help } from './help.js';
import { login } from './login.js';
import { prices } from './prices.js';
import { questions, sources } from './questions.js';

export const ru: Texts = { doctor, help, login, prices, questions, sources };
