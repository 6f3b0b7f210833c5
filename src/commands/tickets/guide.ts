/** The questions of `svc tickets create`, to a person at a terminal. */
import { join } from 'node:path';
import { usagePage, type UsageRecord } from '../../api/billing.js';
import type { Client } from '../../api/client.js';
import type { Image, TicketBody } from '../../api/tickets.js';
import type { Context } from '../../cli/context.js';
import { ticketCategories } from '../../contract/enums.js';
import { tickets as limits } from '../../contract/limits.js';
import { SvcError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { plainText } from '../../lib/plain-text.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { homeFolders } from '../../state/paths.js';
import { readImages } from './images.js';
import { momentWords } from './thread.js';

type Category = NonNullable<TicketBody['category']>;

/** What is not to be told by its name alone. */
const words: Readonly<Record<Category, string>> = {
  api_error: 'a call fails',
  performance: 'it is slow',
  incorrect_response: 'an answer is wrong',
  integration: 'how to use it',
  feature_request: 'something is missing',
  other: 'something else',
  billing: 'money',
  account: 'keys and access',
  general: 'anything',
};

export function askCategory({ prompts }: Context): Promise<Category> {
  return prompts.select({
    message: 'What is it about?',
    choices: ticketCategories.map((value) => ({ value, name: `${value}: ${words[value]}` })),
  });
}

export function askSubject({ prompts }: Context): Promise<string> {
  const { min, max } = limits.subjectCharacters;
  return prompts.text({
    message: 'Subject',
    validate: (text) => {
      const count = countCharacters(text);
      return (count >= min && count <= max) || `${min} to ${max} characters`;
    },
  });
}

export const messageHelp = `What happened, what did you expect? ${limits.messageCharacters.min} to ${limits.messageCharacters.max} characters.`;

/** How many recent calls are offered. */
const offered = 10;

/** Of recent calls; that they cannot be asked for is no reason to give up. */
export async function askRequestIds(
  { prompts }: Context,
  client: Client,
): Promise<readonly string[]> {
  const records = await recentCalls(client);
  if (records.length === 0) return [];
  return prompts.several({
    message: 'Which calls is it about?',
    choices: records.map((record) => ({ value: record.id, name: callWords(record) })),
    most: limits.requestIds.max,
  });
}

async function recentCalls(client: Client): Promise<readonly UsageRecord[]> {
  try {
    const { data } = await usagePage(client, {}, { limit: offered });
    const { max } = limits.requestIds.characters;
    return data.filter(({ id }) => id.length > 0 && id.length <= max).slice(0, offered);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return [];
  }
}

function callWords({ id, createdAt, model, priceRub }: UsageRecord): string {
  const price = priceRub === undefined || priceRub === null ? [] : [formatRub(priceRub)];
  return [momentWords(createdAt), plainText(model ?? '', 60), ...price, plainText(id, 60)].join(
    '  ',
  );
}

/** One after the other, each looked at before the next is asked for. */
export async function askImages({ env, prompts, stdin }: Context): Promise<readonly Image[]> {
  const images: Image[] = [];
  const pathIn = (text: string) => underHome(unquoted(text), homeFolders(env)[0]);
  while (images.length < limits.attachments.perRequest) {
    const path = pathIn(
      await prompts.text({
        message: images.length === 0 ? 'An image to attach (Enter: none)' : 'Another (Enter: none)',
        validate: async (text) => (pathIn(text) === '' ? true : faultOf(pathIn(text), stdin)),
      }),
    );
    if (path === '') break;
    images.push(...(await readImages([path], stdin)));
  }
  return images;
}

async function faultOf(path: string, stdin: Context['stdin']): Promise<true | string> {
  try {
    await readImages([path], stdin);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return error.message;
    throw error;
  }
}

/** What is dropped on a terminal comes in quotes, or with its spaces escaped. */
function unquoted(text: string): string {
  const trimmed = text.trim();
  const quoted = /^(["'])([^]*)\1$/.exec(trimmed);
  return quoted ? (quoted[2] ?? '') : trimmed.replace(/\\(?=[ ()'"&])/g, '');
}

/** At a question there is no shell that knows what `~/` means. */
function underHome(path: string, home: string | undefined): string {
  return home !== undefined && /^~[/\\]/.test(path) ? join(home, path.slice(2)) : path;
}
