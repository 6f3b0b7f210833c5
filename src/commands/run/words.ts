/** What the options of svc run and svc proxy say, in their own small languages. */
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import type { ModelRule, ProxyAddress } from '../../proxy/proxied.js';

/** `gpt-*=vendor/a,*=vendor/b`: the first that fits a model counts. @throws UsageError */
export function modelRules(texts: readonly string[]): ModelRule[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((rule) => {
      const [, pattern, model] = /^\s*([^=\s]+)\s*=\s*([^=\s*]+)\s*$/.exec(rule) ?? [];
      if (pattern !== undefined && model !== undefined) return { pattern, model };
      const words = `--model-map: ${JSON.stringify(plainText(rule, 100))} is not a rule NAME=MODEL`;
      throw new UsageError(words, { hint: "write it like 'gpt-*=vendor/a,*=vendor/b'" });
    });
}

/** `NAME=url|key|model`: a variable and its value. @throws UsageError */
export function namedVariables(
  texts: readonly string[],
  { key, model, rootUrl }: ProxyAddress,
): Record<string, string> {
  const values = new Map([
    ['url', `${rootUrl}/v1`],
    ['key', key],
    ['model', model],
  ]);
  const entries = texts.map((text) => {
    const [, name = '', what = ''] = /^([A-Za-z_]\w*)=(url|key|model)$/.exec(text) ?? [];
    const value = values.get(what);
    if (value !== undefined) return [name, value] as const;
    const shown = `--env ${JSON.stringify(plainText(text, 100))}`;
    if (name !== '') throw new UsageError(`${shown} needs -m MODEL`);
    throw new UsageError(`${shown} is not NAME=url, NAME=key or NAME=model`);
  });
  return Object.fromEntries(entries);
}
