/** Every command, as data. Importing this loads no command's code. */
import type { Entry } from '../command.js';
import { balance, init, keys, login, logout, webhooks, whoami } from './account/index.js';
import { alias } from './alias/index.js';
import { api, openapi } from './api/index.js';
import { batch } from './batch/index.js';
import { budget } from './budget/index.js';
import { chat } from './chat/index.js';
import { completion, shellInit } from './completion/index.js';
import { config } from './config/index.js';
import { decide } from './decide/index.js';
import { doCommand } from './do/index.js';
import { doctor } from './doctor/index.js';
import { embed } from './embed/index.js';
import { feedback } from './feedback/index.js';
import { files } from './files/index.js';
import { generate } from './generate/index.js';
import { image } from './image/index.js';
import { jobs } from './jobs/index.js';
import { logs } from './logs/index.js';
import { mcp } from './mcp/index.js';
import { models } from './models/index.js';
import { open } from './open/index.js';
import { proxy, run } from './run/index.js';
import { search } from './search/index.js';
import { serve } from './serve/index.js';
import { skills } from './skills/index.js';
import { speak } from './speak/index.js';
import { templates } from './templates/index.js';
import { tickets } from './tickets/index.js';
import { transcribe } from './transcribe/index.js';
import { update, version } from './update/index.js';
import { usage } from './usage/index.js';
import { voices } from './voices/index.js';

/** `svc --help` leaves it out. */
const rarely = (entry: Entry): Entry => ({ ...entry, isMore: true });

export const entries: readonly Entry[] = [
  chat,
  logs,
  templates,
  generate,
  jobs,
  image,
  rarely(files),
  speak,
  transcribe,
  rarely(voices),
  search,
  embed,
  rarely(decide),
  batch,
  models,
  init,
  login,
  rarely(logout),
  rarely(whoami),
  balance,
  usage,
  budget,
  config,
  rarely(keys),
  rarely(webhooks),
  tickets,
  rarely(feedback),
  doctor,
  rarely(update),
  rarely(version),
  rarely(open),
  run,
  rarely(proxy),
  serve,
  mcp,
  rarely(api),
  rarely(openapi),
  rarely(doCommand),
  rarely(skills),
  rarely(alias),
  rarely(completion),
  rarely(shellInit),
];
