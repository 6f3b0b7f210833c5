/** Notes about a file, in the form that players show (an iTunes metadata list). */
import { box, fullBox, u32 } from './boxes.js';

export interface Notes {
  readonly title: string;
  readonly description: string;
  readonly software: string;
  /** What the service needs to draw the picture again. */
  readonly recipe?: string;
}

/** The domain and name under which a recipe stands. */
export const recipeMean = 'svc';
export const recipeName = 'recipe';

const utf8 = 1;

/** The box for the end of a movie's box. */
export function notesBox({ title, description, software, recipe }: Notes): Uint8Array {
  const handler = fullBox('hdlr', 0, 0, u32(0), 'mdirappl', u32(0, 0), [0]);
  const items = [
    box('\xa9nam', value(title)),
    box('\xa9too', value(software)),
    box('desc', value(description)),
    ...(recipe === undefined ? [] : [freeForm(recipe)]),
  ];
  return box('udta', fullBox('meta', 0, 0, handler, box('ilst', ...items)));
}

function freeForm(recipe: string): Uint8Array {
  const [mean, name] = [fullBox('mean', 0, 0, recipeMean), fullBox('name', 0, 0, recipeName)];
  return box('----', mean, name, value(recipe));
}

function value(text: string): Uint8Array {
  return box('data', u32(utf8, 0), Buffer.from(text, 'utf8'));
}
