/** The type of a file by its first bytes, and the extension that it needs. */
import { utf8Text } from './plain-text.js';

export interface FileKind {
  readonly mediaType: string;
  readonly extension: string;
}

export const kindBytes = 512;

/** By the first bytes; by the Content-Type where they are unknown, or a container. */
export function fileKind(bytes: Uint8Array, contentType: string | undefined): FileKind | undefined {
  const byBytes = fileKindOf(bytes);
  const byType = kindByContentType(contentType);
  return byBytes && containers.get(byType?.mediaType ?? '') !== byBytes.mediaType
    ? byBytes
    : byType;
}

const containers = new Map([
  ['audio/mp4', 'video/mp4'],
  ['audio/webm', 'video/webm'],
  ['model/vnd.usdz+zip', 'application/zip'],
]);

export function fileKindOf(bytes: Uint8Array): FileKind | undefined {
  const head = latin1(bytes, kindBytes);
  const match = beginnings.find(([begins]) => begins.test(head));
  return kindFor(match?.[1] ?? frameType(bytes));
}

const media = /^(?:image|audio|video)\/|^model\/gltf-binary$/;

/** Describes a file that is certainly not an image, audio, a film or a 3D model (section 4.3). */
export function noMedia(head: Uint8Array): string | undefined {
  if (head.length === 0) return 'nothing';
  const kind = fileKindOf(head);
  if (kind) return media.test(kind.mediaType) ? undefined : kind.mediaType;
  const text = latin1(head, head.length).replace(/^(?:\xef\xbb\xbf)?\s*/, '');
  if (beginsMedia.test(text) || controls.test(text)) return undefined;
  if (text.startsWith('<')) return page.test(text) ? 'an HTML page' : 'XML';
  if (/^[[{]/.test(text)) return 'JSON';
  return utf8Text(head, { isCut: true }) === undefined ? undefined : 'text';
}

const beginsMedia =
  /^(?:RIFF|RF64|BW64|OggS|fLaC|glTF|GIF8|ID3)|^<(?!html|!doctype html)[^]*<svg[\s>]/i;
const controls = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
const page = /^<(?:!doctype html|html|head|body)\b/i;

export function kindByContentType(header: string | undefined): FileKind | undefined {
  const mediaType = header?.split(';')[0]?.trim().toLowerCase() ?? '';
  return kindFor(aliases.get(mediaType) ?? mediaType);
}

/** Whether two extensions, without dots, mean the same type: `jpeg` and `jpg`. */
export function isSameExtension(one: string, other: string): boolean {
  const plain = (extension: string) =>
    spellings.get(extension.toLowerCase()) ?? extension.toLowerCase();
  return plain(one) === plain(other);
}

export function mediaTypeOfExtension(extension: string): string | undefined {
  const lower = extension.toLowerCase();
  return [...extensions].find(([, one]) => one === lower || one === spellings.get(lower))?.[0];
}

/** `a:b c` as a to b, and c to itself. */
function pairs(text: string): Map<string, string> {
  return new Map(
    text.split(' ').map((pair) => {
      const [from = '', to = from] = pair.split(':');
      return [from, to];
    }),
  );
}

const extensions = new Map<string, string>(
  Object.entries({
    application: 'gzip:gz json pdf zip x-subrip:srt',
    audio: 'aac flac mp4:m4a mpeg:mp3 ogg opus wav webm:weba',
    image: 'avif bmp gif heic jpeg:jpg png svg+xml:svg tiff webp',
    model: 'gltf+json:gltf gltf-binary:glb obj stl vnd.usdz+zip:usdz',
    text: 'csv html markdown:md plain:txt vtt',
    video: 'mp4 ogg:ogv quicktime:mov webm x-matroska:mkv x-msvideo:avi',
  }).flatMap(([type, kinds]) =>
    [...pairs(kinds)].map(([name, extension]) => [`${type}/${name}`, extension] as const),
  ),
);

const aliases = pairs(
  'application/ogg:audio/ogg audio/mp3:audio/mpeg audio/vnd.wave:audio/wav audio/wave:audio/wav ' +
    'audio/x-flac:audio/flac audio/x-m4a:audio/mp4 audio/x-wav:audio/wav image/jpg:image/jpeg',
);

const spellings = pairs(
  'htm:html jpe:jpg jpeg:jpg m4v:mp4 markdown:md oga:ogg opus:ogg tif:tiff wave:wav',
);

function kindFor(mediaType: string): FileKind | undefined {
  const extension = extensions.get(mediaType);
  return extension === undefined ? undefined : { mediaType, extension };
}

/** The first bytes of some types, as latin1; the first match counts. */
const beginnings: readonly (readonly [RegExp, mediaType: string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^RIFF[^]{4}AVI /, 'video/x-msvideo'],
  [/^(?:RIFF|RF64|BW64)[^]{4}WAVE/, 'audio/wav'],
  [/^[^]{4}ftypM4[AB] /, 'audio/mp4'],
  [/^[^]{4}ftypqt {2}/, 'video/quicktime'],
  [/^[^]{4}ftyp(?:avi[fs]|(?:hei[cxms]|hev[cx]|mif1|msf1)[^]{4,48}avif)/, 'image/avif'],
  [/^[^]{4}ftyp(?:hei[cxms]|hev[cx]|mif1|msf1)/, 'image/heic'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  // The first page of an Ogg file contains the header of its codec.
  [/^OggS[^]{24}OpusHead/, 'audio/opus'],
  [/^OggS[^]{24}\x80theora/, 'video/ogg'],
  [/^OggS/, 'audio/ogg'],
  [/^\x1a\x45\xdf\xa3[^]*webm/, 'video/webm'],
  [/^\x1a\x45\xdf\xa3/, 'video/x-matroska'],
  [/^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)?<svg[\s>]/, 'image/svg+xml'],
  [/^ID3[\x02-\x04]/, 'audio/mpeg'],
  [/^fLaC/, 'audio/flac'],
  [/^glTF/, 'model/gltf-binary'],
  [/^BM[^]{4}\0{4}/, 'image/bmp'],
  [/^%PDF-/, 'application/pdf'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff'],
  [/^PK\x03\x04/, 'application/zip'],
  [/^\x1f\x8b\x08/, 'application/gzip'],
];

/** Set bits, then a version, a layer (0 for AAC) and valid rates; in hex. */
const mpegFrame = /^ff(?:e[2-7]|f[2-7a-f])[0-9a-e][0-9ab]/;
const aacFrame = /^fff[0189]/;

function frameType(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 3)).toString('hex');
  if (aacFrame.test(start)) return 'audio/aac';
  return mpegFrame.test(start) ? 'audio/mpeg' : '';
}

export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const mediaType = fileKindOf(bytes)?.mediaType ?? '';
  return /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) ? mediaType : undefined;
}

/** How a file of a type that is not accepted becomes one that is. */
export function howToConvert(mediaType: string): string {
  if (/^(?:audio|video)\//.test(mediaType)) return 'its words as text: svc transcribe FILE';
  if (mediaType === 'application/pdf')
    return 'its text: pdftotext FILE; a page: pdftoppm -png FILE';
  if (!mediaType.startsWith('image/')) return 'unpack or convert it';
  return 'convert it: magick FILE photo.jpg, or on macOS: sips -s format jpeg FILE --out photo.jpg';
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array, most: number): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, most)).toString('latin1');
}

/** The text when the bytes are UTF-8 without NULs; otherwise undefined. */
export function textIn(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : utf8Text(bytes);
}
