import { join } from 'node:path';
import { UsageError } from '../../errors.js';
import type { Recipe } from './recipe.js';
import { assumedContextTokens, optionValues } from './settings.js';

/** Settings of codex with which a request would go to another service than the proxy. */
const elsewhere = /^\s*(?:model_provider|model_providers\.svc|oss_provider)\b/;

export const codex: Recipe = {
  names: ['codex', '@openai/codex'],
  wire: 'responses',
  verified: { version: '0.171.0', by: 'run' },
  uncovered: 'What it asks chatgpt.com for by itself (plugins, analytics) does not pass the proxy.',
  setup: ({ args, apiUrl, folder, address }) => {
    const own = optionValues(args, ['-c', '--config']);
    const other = own.find((setting) => elsewhere.test(setting));
    const word = other ?? args.find((one) => /^--(?:oss|local-provider)\b/.test(one));
    if (word !== undefined) {
      throw new UsageError(`codex ${word} would ask another service, past the ceiling`, {
        hint: 'leave it out, or run codex without svc',
      });
    }
    const ownModel = [
      ...optionValues(args, ['-m', '--model']),
      ...own.flatMap((setting) => /^\s*model\s*=\s*"?([^"]*)"?\s*$/.exec(setting)?.[1] ?? []),
    ].at(-1);
    const model = ownModel ?? address.model;
    const catalog = join(folder, 'codex-models.json');
    const settings = [
      'model_provider="svc"',
      `model_providers.svc=${provider(apiUrl)}`,
      // The service takes functions only.
      'web_search="disabled"',
      'features.multi_agent=false',
      ...(model === undefined ? [] : [`model_catalog_json=${toml(catalog)}`]),
      ...(model === undefined || ownModel !== undefined ? [] : [`model=${toml(model)}`]),
    ];
    return {
      args: settings.flatMap((setting) => ['-c', setting]),
      files: model === undefined ? [] : [{ path: catalog, contents: catalogOf(model) }],
    };
  },
};

/** svc repeats what may be repeated: codex would repeat a refusal for money, and a cut answer. */
function provider(apiUrl: string): string {
  const fields = [
    ...['name="svc"', `base_url=${toml(apiUrl)}`, 'env_key="SVC_API_KEY"', 'wire_api="responses"'],
    ...['supports_websockets=false', 'request_max_retries=0', 'stream_max_retries=0'],
  ];
  return `{${fields.join(',')}}`;
}

/** A basic string of TOML, which is JSON's but for one character. */
const toml = (text: string) => JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`);

const instructions = `You are a coding agent that works in the user's folder through tools.
Read what concerns the task before you change anything, and follow the instructions of AGENTS.md files.
Make the smallest change that solves the task at its cause, in the style of the code around it.
Never undo or overwrite changes that you have not made, and commit only if you are asked to.
Edit files with the shell. Prefer rg to grep. Check what you have done with the project's tests.
Go on until the task is done; then say in a few sentences what you changed and what is left.
`;

/** In place of codex's own catalog, whose models get tools that the service does not take. */
function catalogOf(model: string): string {
  const entry = {
    ...{ slug: model, display_name: model, base_instructions: instructions },
    ...{ visibility: 'list', supported_in_api: true, priority: 0, supported_reasoning_levels: [] },
    ...{ shell_type: 'unified_exec', support_verbosity: false, experimental_supported_tools: [] },
    truncation_policy: { mode: 'bytes', limit: 10_000 },
    context_window: assumedContextTokens,
  };
  return JSON.stringify({ models: [entry] });
}
