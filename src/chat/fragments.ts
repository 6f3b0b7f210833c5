/** Text that precedes the prompt: files, folders, globs and web pages, and what they will cost. */
import { stat } from 'node:fs/promises';
import { withLimit } from '../api/client.js';
import { isModelName, pricingFacts } from '../api/models.js';
import type { Context } from '../context.js';
import { charactersPerToken } from '../contract/limits.js';
import { UsageError } from '../errors.js';
import {
  maxRequestBytes,
  readBytes,
  readTrouble,
  tooLarge,
  withFiles,
} from '../files/named-file.js';
import { createTransport } from '../http/attempt.js';
import { pageText } from '../http/download/page.js';
import { isWebAddress } from '../lib/address.js';
import { formatBytes, formatRub, grouped } from '../lib/amounts.js';
import { imageTypeOf, textIn } from '../lib/file-kind.js';
import { shellWord } from '../lib/names.js';
import { inParallel } from '../lib/parallel.js';
import { plainText, utf8Text } from '../lib/plain-text.js';

const flag = '--file';
/** Above this, svc asks before it sends. */
const manyTokens = 100_000;

/** @throws UsageError before anything is sent */
export async function fragmentsFrom(
  context: Context,
  {
    file: sources,
    countTokens,
  }: { readonly file: readonly string[]; readonly countTokens?: boolean },
  model: string,
): Promise<string> {
  const { out, flags } = context;
  const blocks = new Map<string, string>();
  let [bytes, skipped] = [0, 0];
  for (const source of sources) {
    const below = await namesBelow(context, source);
    const names = below ?? [source];
    const texts = await inParallel(names, 16, async (name) => {
      const text = await (below ? textIfAny(name) : namedText(context, name));
      bytes += Buffer.byteLength(text ?? '');
      if (bytes > maxRequestBytes) throw tooLarge('the text of -f');
      return text;
    });
    for (const [index, text] of texts.entries()) {
      const name = names[index] ?? source;
      if (text === undefined) skipped += 1;
      else if (text.trim() !== '') blocks.set(name, blockOf(name, text));
    }
  }
  const files = skipped === 1 ? 'file that is' : 'files that are';
  if (skipped > 0) out.note(`Skipped ${grouped(skipped, out.language)} ${files} not text.`);
  if (blocks.size === 0) throw wrong('there is no text in these files');
  const text = [...blocks.values()].join('\n\n');
  const isSilent = flags.json || flags.quiet || flags.dryRun || countTokens;
  if (out.isErrorTerminal && !isSilent) await announce(context, blocks.size, text, model);
  return text;
}

/** The files of a folder or a glob; undefined for one file or page. */
async function namesBelow(context: Context, source: string) {
  if (isWebAddress(source)) return undefined;
  const entry = await stat(source).catch((error: unknown) => {
    if (!/[*?[{]/.test(source)) throw readTrouble(error, source, flag);
  });
  if (entry && !entry.isDirectory()) return undefined;
  const { filesBelow } = await import('./fragment-files.js');
  const names = await filesBelow(context, source, entry !== undefined);
  if (names.length > 0) return names;
  throw wrong(`no files found: ${source}`, 'to read hidden or ignored files, name them');
}

async function namedText(context: Context, source: string): Promise<string> {
  if (isWebAddress(source)) return namedPage(context, source);
  const bytes = await readBytes(source, flag);
  const text = textIn(bytes);
  if (text?.trim()) return text;
  const hint = imageTypeOf(bytes) && `the model sees an image with: -a ${shellWord(source)}`;
  throw wrong(`${source} is ${text === undefined ? 'not UTF-8 text' : 'empty'}`, hint);
}

async function namedPage(context: Context, source: string): Promise<string> {
  const { env, flags } = context;
  // The embedded service has no pages of others.
  const client = env['SVC_TAPE'] && !flags.local ? await context.client() : undefined;
  const transport = client?.tape ? client.transport : createTransport({ env });
  return pageText(source, flag, { ...context, transport });
}

/** Undefined for a file that is not text, which is not read whole. */
function textIfAny(path: string): Promise<string | undefined> {
  return withFiles([path], async ([file]) => {
    const head = (await file?.read(0, 64 * 1024)) ?? Buffer.alloc(0);
    if (head.includes(0) || utf8Text(head, { isCut: true }) === undefined) return undefined;
    return textIn(file && file.length > head.length ? await readBytes(path, flag) : head);
  });
}

/** A fence longer than any in the text cannot be closed by it. */
function blockOf(name: string, text: string): string {
  let fence = '```';
  while (text.includes(fence)) fence += '`';
  const end = text.endsWith('\n') ? '' : '\n';
  return `${plainText(name, 4096)}:\n\n${fence}\n${text}${end}${fence}`;
}

/** Tells a person the size and the price, and asks before a lot is sent. */
async function announce(context: Context, files: number, text: string, model: string) {
  const { language } = context.out;
  const tokens = Number(Math.ceil(text.length / charactersPerToken).toPrecision(3));
  const facts = await pricingFacts(withLimit(await context.client(), 1000)).catch(() => []);
  const amounts = facts.find(({ id }) => isModelName(model, [id]))?.amounts ?? [];
  const input = amounts.find(({ what, per }) => what === 'in' && per === '1M tokens');
  const parts = [
    `${grouped(files, language)} ${files === 1 ? 'file' : 'files'}`,
    formatBytes(Buffer.byteLength(text)),
    `about ${grouped(tokens, language)} tokens`,
    ...(input ? [`input up to ${formatRub((input.rub * tokens) / 1_000_000, language)}`] : []),
  ];
  context.out.dim(parts.join(', '));
  if (tokens <= manyTokens || !context.prompts.canAsk) return;
  const message = `Send about ${grouped(tokens, language)} tokens?`;
  await context.prompts.assertAgreed(message, 'nothing was sent');
}

function wrong(message: string, hint?: string): UsageError {
  return new UsageError(`${flag}: ${message}`, { code: 'no_text', hint });
}
