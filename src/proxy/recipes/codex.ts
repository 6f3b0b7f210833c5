import { join } from 'node:path';
import { assumedContextTokens, type Recipe } from './recipe.js';

export const codex: Recipe = {
  names: ['codex', '@openai/codex'],
  verified: { version: '0.171.0', by: 'run' },
  uncovered:
    'It works without its web search, its agents and its tool apply_patch, which the service does not take; nor may it take the tools of MCP servers. What it asks chatgpt.com and github.com for by itself does not pass the proxy.',
  elsewhere: /^(?:--oss|--local-provider|(?:-c|--config=)?\s*model_providers?\b)/,
  setup: ({ args, apiUrl, folder, model: given }) => {
    const settings = optionValues(args, '-c', '--config');
    const inSettings = settings.flatMap((one) => /^\s*model\s*=\s*"?([^"]*)/.exec(one)?.[1] ?? []);
    const model = [...inSettings, ...optionValues(args, '-m', '--model')].at(-1) ?? given;
    const catalog = join(folder, 'codex-models.json');
    const words = [
      'model_provider="svc"',
      `model_providers.svc=${provider(apiUrl)}`,
      // The service takes functions only.
      'web_search="disabled"',
      'features.multi_agent=false',
      'mcp_servers.codex_tui={command="codex",enabled=false}',
      ...(model === undefined ? [] : [`model_catalog_json=${toml(catalog)}`]),
      ...(model === undefined ? [] : [`model=${toml(model)}`]),
    ].flatMap((setting) => ['-c', setting]);
    if (model === undefined) return { args: words };
    return { args: words, files: [{ path: catalog, contents: catalogOf(model) }] };
  },
};

/** svc repeats what may be repeated; codex would repeat a refusal for money and a cut answer too. */
function provider(apiUrl: string): string {
  const fields = [
    ...['name="svc"', `base_url=${toml(apiUrl)}`, 'env_key="SVC_API_KEY"', 'wire_api="responses"'],
    ...['supports_websockets=false', 'request_max_retries=0', 'stream_max_retries=0'],
  ];
  return `{${fields.join(',')}}`;
}

/** A basic string of TOML is one of JSON, but for one character. */
const toml = (text: string) => JSON.stringify(text).replaceAll('\u007f', String.raw`\u007f`);

const instructions = `You are a coding agent that works in the user's folder through tools.
Read what concerns the task before you change anything, and follow AGENTS.md files.
Make the smallest change that solves the task at its cause, in the style of the code around it.
Never undo changes that you have not made, and commit only if you are asked to.
Edit files with the shell, and check what you have done with the project's tests.
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

/** `-m x`, `-mx`, `--model x` and `--model=x`. @returns the values, in their order */
function optionValues(args: readonly string[], short: string, long: string): string[] {
  return args.flatMap((word, index) => {
    if (word === short || word === long) return args[index + 1] ?? [];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    return word.startsWith(short) ? word.slice(short.length) : [];
  });
}
