import type { Texts } from '../texts.js';
import { cost } from './cost.js';
import { doctor } from './doctor.js';
import { errors } from './errors.js';
import { help } from './help.js';
import { login } from './login.js';
import { prices } from './prices.js';
import { questions, settings, sources } from './questions.js';
import { session } from './session.js';

export const ru: Texts = {
  cost,
  doctor,
  errors,
  help,
  login,
  prices,
  questions,
  session,
  settings,
  sources,
};
