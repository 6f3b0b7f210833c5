/** The code of each command, by the names that are typed; it is loaded when it runs. */
import type { Loaded } from '../context.js';

interface Code {
  readonly load: () => Promise<Loaded>;
  /** Runs under --dry-run and --curl in place of `load`, where `load` would ask for more first. */
  readonly dryRun?: () => Promise<Loaded>;
  /** Runs after the usual help where the line has an operand, which it explains. */
  readonly loadHelp?: () => Promise<Loaded>;
}

/** A command whose code is one of several in a module. */
function verb<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Loaded['run']>>>,
  name: Name,
): () => Promise<Loaded> {
  return async () => ({ run: (await load())[name] });
}

/** @param path the names of a command, or of a group, which lists. */
export function codeOf(path: readonly string[]): Code {
  const entry = code[path.join(' ')] ?? code[[...path, 'list'].join(' ')];
  if (entry) return entry;
  throw new Error(`svc ${path.join(' ')} has no code`);
}

const code: Readonly<Record<string, Code>> = {
  balance: { load: verb(() => import('./account/balance.js'), 'balance') },
  'keys list': { load: verb(() => import('./account/balance.js'), 'listOfKeys') },
  'keys show': { load: verb(() => import('./account/balance.js'), 'keyInUse') },
  'webhooks show': { load: verb(() => import('./account/webhooks.js'), 'showWebhooks') },
  'webhooks set': {
    load: verb(() => import('./account/webhooks.js'), 'setWebhook'),
    dryRun: verb(() => import('./account/webhooks.js'), 'showSetting'),
  },
  login: { load: verb(() => import('./account/login.js'), 'login') },
  init: { load: verb(() => import('./account/login.js'), 'init') },
  logout: { load: verb(() => import('./account/login.js'), 'logout') },
  whoami: { load: verb(() => import('./account/login.js'), 'whoami') },
  'alias set': { load: verb(() => import('./alias/alias.js'), 'set') },
  'alias list': { load: verb(() => import('./alias/alias.js'), 'list') },
  'alias delete': { load: verb(() => import('./alias/alias.js'), 'remove') },
  api: { load: () => import('./api/api.js') },
  openapi: { load: () => import('./api/openapi.js') },
  'batch run': { load: () => import('./batch/run.js') },
  'batch make': { load: () => import('./batch/make.js') },
  'batch status': { load: verb(() => import('./batch/report.js'), 'status') },
  'batch report': { load: verb(() => import('./batch/report.js'), 'report') },
  'batch merge': { load: () => import('./batch/merge.js') },
  'batch plan': { load: () => import('./batch/plan.js') },
  'budget list': { load: verb(() => import('./budget/budget.js'), 'list') },
  'budget set': { load: verb(() => import('./budget/budget.js'), 'set') },
  chat: { load: () => import('./chat/chat.js') },
  completion: { load: () => import('./completion/completion.js') },
  'shell-init': { load: verb(() => import('./completion/completion.js'), 'init') },
  'config list': { load: verb(() => import('./config/config.js'), 'list') },
  'config get': { load: verb(() => import('./config/config.js'), 'get') },
  'config set': { load: verb(() => import('./config/config.js'), 'set') },
  'config unset': { load: verb(() => import('./config/config.js'), 'unset') },
  'config profiles': { load: verb(() => import('./config/config.js'), 'profiles') },
  'config use': { load: verb(() => import('./config/config.js'), 'use') },
  'config path': { load: verb(() => import('./config/config.js'), 'path') },
  decide: { load: () => import('./decide/decide.js') },
  do: { load: () => import('./do/do.js') },
  doctor: {
    load: () => import('./doctor/doctor.js'),
    dryRun: verb(() => import('./account/balance.js'), 'balance'),
  },
  embed: { load: () => import('./embed/embed.js') },
  'feedback create': { load: verb(() => import('./feedback/feedback.js'), 'create') },
  'feedback show': { load: verb(() => import('./feedback/feedback.js'), 'show') },
  'files upload': { load: () => import('./files/upload.js') },
  generate: {
    load: () => import('./generate/generate.js'),
    loadHelp: verb(() => import('./models/capability.js'), 'help'),
  },
  'image create': { load: () => import('./image/create.js') },
  'image list': { load: () => import('./image/list.js') },
  'jobs list': { load: () => import('./jobs/list.js') },
  'jobs show': { load: () => import('./jobs/show.js') },
  'jobs wait': { load: () => import('./jobs/wait.js') },
  'jobs resume': { load: () => import('./jobs/resume.js') },
  'jobs download': { load: () => import('./jobs/download.js') },
  'jobs extend': { load: () => import('./jobs/extend.js') },
  'jobs gallery': { load: () => import('./jobs/gallery.js') },
  'logs list': { load: verb(() => import('./logs/list.js'), 'list') },
  'logs show': { load: verb(() => import('./logs/show.js'), 'show') },
  'logs export': { load: verb(() => import('./logs/show.js'), 'exporting') },
  'logs delete': { load: verb(() => import('./logs/change.js'), 'deleting') },
  'logs branch': { load: verb(() => import('./logs/change.js'), 'branch') },
  'logs rename': { load: verb(() => import('./logs/change.js'), 'rename') },
  'logs conversations': { load: verb(() => import('./logs/list.js'), 'conversations') },
  mcp: { load: () => import('./mcp/mcp.js') },
  'models list': { load: verb(() => import('./models/lists.js'), 'list') },
  'models all': { load: verb(() => import('./models/lists.js'), 'all') },
  'models show': { load: () => import('./models/show.js') },
  'models capabilities': { load: verb(() => import('./models/lists.js'), 'capabilities') },
  'models pricing': { load: verb(() => import('./models/lists.js'), 'pricing') },
  'models catalog': { load: verb(() => import('./models/lists.js'), 'catalog') },
  'models media': { load: verb(() => import('./models/lists.js'), 'media') },
  open: { load: () => import('./open/open.js') },
  proxy: { load: () => import('./run/proxy.js') },
  run: { load: () => import('./run/run.js') },
  search: { load: () => import('./search/search.js') },
  serve: { load: () => import('./serve/serve.js') },
  'skills add': { load: () => import('./skills/add.js') },
  speak: { load: () => import('./speak/speak.js') },
  'templates list': { load: verb(() => import('./templates/templates.js'), 'list') },
  'templates show': { load: verb(() => import('./templates/templates.js'), 'show') },
  'templates edit': { load: verb(() => import('./templates/templates.js'), 'edit') },
  'templates delete': { load: verb(() => import('./templates/templates.js'), 'remove') },
  'tickets create': { load: () => import('./tickets/create.js') },
  'tickets list': { load: verb(() => import('./tickets/threads.js'), 'list') },
  'tickets show': { load: verb(() => import('./tickets/threads.js'), 'show') },
  'tickets reply': { load: () => import('./tickets/reply.js') },
  'tickets close': { load: verb(() => import('./tickets/threads.js'), 'close') },
  'tickets download': { load: () => import('./tickets/download.js') },
  'tickets watch': { load: verb(() => import('./tickets/threads.js'), 'watch') },
  transcribe: { load: () => import('./transcribe/transcribe.js') },
  update: { load: () => import('./update/update.js') },
  version: { load: () => import('./update/version.js') },
  'usage list': { load: verb(() => import('./usage/usage.js'), 'list') },
  'usage show': { load: verb(() => import('./usage/usage.js'), 'show') },
  'usage keys': { load: verb(() => import('./usage/usage.js'), 'keys') },
  'usage chart': { load: verb(() => import('./usage/usage.js'), 'chart') },
  'voices list': { load: verb(() => import('./voices/list.js'), 'list') },
  'voices create': { load: () => import('./voices/create.js') },
  'voices delete': { load: verb(() => import('./voices/list.js'), 'remove') },
  'voices add-samples': { load: () => import('./voices/samples.js') },
};
