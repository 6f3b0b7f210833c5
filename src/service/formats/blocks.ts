/** Content blocks, read alike in all three formats: what cannot be read is refused, never dropped. */
import * as z from 'zod/mini';
import { imageFromBase64, imageFromUrl } from '../engines/images.js';
import { asText } from '../engines/prompts.js';
import type { Part, Turn } from '../engines/types.js';
import { badRequest } from '../failure.js';
import { parse } from '../parse.js';

const Block = z.looseObject({ type: z.string() });
export const Content = z.union([z.string(), z.array(Block)]);

type Block = z.output<typeof Block>;
type Content = z.output<typeof Content>;

const Text = z.looseObject({ text: z.string() });
const ImageUrl = z.looseObject({
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
});
const Image = z.looseObject({
  source: z.union([
    z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string() }),
  ]),
});

/**
 * The parts of a content.
 * @param readOwn reads the blocks that one format alone has; undefined for any other
 */
export function readContent(
  content: Content | null | undefined,
  place: string,
  readOwn: (block: Block, place: string) => Part | undefined = () => undefined,
): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).flatMap((block, i) => {
    const at = `${place}[${i}]`;
    return readOwn(block, at) ?? readBlock(block, at);
  });
}

function readBlock(block: Block, place: string): Part | [] {
  switch (block.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: parse(Text, block, place).text };
    case 'image_url':
    case 'input_image': {
      const { image_url: image } = parse(ImageUrl, block, place);
      const url = typeof image === 'string' ? image : image.url;
      return { type: 'image', image: imageFromUrl(url, `${place}.image_url`) };
    }
    case 'image': {
      const { source } = parse(Image, block, place);
      const image =
        source.type === 'url'
          ? imageFromUrl(source.url, `${place}.source`)
          : imageFromBase64(source.media_type, source.data, `${place}.source`);
      return { type: 'image', image };
    }
    // A model's own thoughts, which it is given back and needs no more.
    case 'thinking':
    case 'redacted_thinking':
      return [];
    default:
      throw unknownBlock(block.type, place);
  }
}

/** The refusal of a block or an item that no model here can read. */
export function unknownBlock(type: string, place: string) {
  const shown = JSON.stringify(type.slice(0, 60));
  return badRequest(`${place} is of the type ${shown}, which is not supported here`, place);
}

/** A message of the role tool (section 2.2), whose call only the chat format demands. */
export function toolTurn(message: Readonly<Record<string, unknown>>, parts: readonly Part[]): Turn {
  const results = parts.filter(({ type }) => type === 'toolResult');
  if (results.length > 0) return { role: 'tool', parts: results };
  const { tool_call_id: called } = message;
  const id = typeof called === 'string' ? called : '';
  return { role: 'tool', parts: [{ type: 'toolResult', id, text: asText(parts) }] };
}
