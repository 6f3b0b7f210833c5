/** What -a names, turned into parts of the question. */
import { basename, extname } from 'node:path';
import type { Part } from '../../api/chat/question.js';
import type { Stdin } from '../../cli/context.js';
import { UsageError } from '../../errors.js';
import { readBytes } from '../../files/named-file.js';
import { imageTypeOf, textIn } from '../../lib/file-kind.js';

/** Names that promise an image; a file that breaks the promise is refused. */
const imageExtensions = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp']);

/**
 * @param source a file, an http(s) or data URL of an image, or `-` for stdin.
 * @throws UsageError when it is missing, or neither an image nor text; LocalFileError.
 */
export async function attachmentPart(source: string, stdin: Stdin): Promise<Part> {
  if (/^(https?:\/\/|data:image\/)/i.test(source)) return { type: 'image', url: source };
  if (source === '') throw new UsageError('--attach needs a file, a URL or -', { code: 'usage' });
  if (source === '-') return partFrom(await stdin.bytes(), 'stdin', false);
  const bytes = await readBytes(source, '--attach');
  return partFrom(bytes, basename(source), imageExtensions.has(extname(source).toLowerCase()));
}

function partFrom(bytes: Buffer, name: string, mustBeImage: boolean): Part {
  const imageType = imageTypeOf(bytes);
  if (imageType) {
    return { type: 'image', url: `data:${imageType};base64,${bytes.toString('base64')}` };
  }
  if (mustBeImage) {
    throw new UsageError(`${name} is named like an image but is no PNG, JPEG, GIF or WebP`, {
      code: 'not_an_image',
    });
  }
  const text = textIn(bytes);
  if (text === undefined) {
    throw new UsageError(`${name} is neither an image (PNG, JPEG, GIF, WebP) nor UTF-8 text`, {
      code: 'unsupported_attachment',
    });
  }
  if (text.trim() === '') throw new UsageError(`${name} is empty`, { code: 'empty_attachment' });
  return { type: 'text', text: `${name}:\n\n${text}` };
}
