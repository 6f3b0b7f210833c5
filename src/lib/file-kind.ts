/** What a file is by its first bytes, and what its name should end in. */
import { utf8Text } from './plain-text.js';

export interface FileKind {
  readonly mediaType: string;
  /** Without a dot. */
  readonly extension: string;
}

/** How much of a file `fileKindOf` looks at. */
export const kindBytes = 512;

/**
 * The kind of a file: its first bytes decide, the Content-Type header only where they say nothing,
 * or leave open what is in a container. Undefined when neither tells.
 */
export function fileKind(bytes: Uint8Array, contentType: string | undefined): FileKind | undefined {
  const found = fileKindOf(bytes);
  const said = kindByContentType(contentType);
  return found && containers.get(said?.mediaType ?? '') !== found.mediaType ? found : said;
}

/** What the bytes of some kinds look like. */
const containers = new Map([
  ['audio/mp4', 'video/mp4'],
  ['audio/webm', 'video/webm'],
  ['model/vnd.usdz+zip', 'application/zip'],
]);

/** The kind of a file by its first bytes, at best `kindBytes` of them; undefined when unknown. */
export function fileKindOf(bytes: Uint8Array): FileKind | undefined {
  const head = latin1(bytes, kindBytes);
  const mediaType =
    imageTypeOf(bytes) ?? isoMediaType(head) ?? magicType(head) ?? mpegType(bytes) ?? '';
  return kindFor(mediaType);
}

const media = /^(?:image|audio|video)\/|^model\/gltf-binary$/;

/**
 * What the first bytes of a file are when they begin no picture, sound, film or 3D model (section
 * 4.3); undefined when they do, or may: nobody knows all formats.
 */
export function noMedia(head: Uint8Array): string | undefined {
  if (head.length === 0) return 'nothing';
  const kind = fileKindOf(head);
  if (kind) return media.test(kind.mediaType) ? undefined : kind.mediaType;
  const text = latin1(head, head.length).replace(/^(?:\xef\xbb\xbf)?\s*/, '');
  if (beginsMedia.test(text) || controls.test(text)) return undefined;
  if (text.startsWith('<')) return page.test(text) ? 'an HTML page' : 'XML';
  if (/^[[{]/.test(text)) return 'JSON';
  return isUtf8(head) ? 'text' : undefined;
}

/** What broke off so early may still be one of these. */
const beginsMedia = /^(?:RIFF|RF64|OggS|fLaC|glTF|GIF8|ID3)|^<(?!html|!doctype html)[^]*<svg[\s>]/i;
const controls = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;
const page = /^<(?:!doctype html|html|head|body)\b/i;

/** Whether it is UTF-8, cut anywhere. */
function isUtf8(head: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The kind by a Content-Type header; undefined when it says nothing that we know. */
export function kindByContentType(header: string | undefined): FileKind | undefined {
  const mediaType = header?.split(';')[0]?.trim().toLowerCase() ?? '';
  return kindFor(aliases.get(mediaType) ?? mediaType);
}

/** Whether two extensions, without dots, stand for the same kind: `jpeg` and `jpg`. */
export function isSameExtension(one: string, other: string): boolean {
  const plain = (extension: string) =>
    spellings.get(extension.toLowerCase()) ?? extension.toLowerCase();
  return plain(one) === plain(other);
}

/** The media type that an extension, without its dot, stands for; undefined when it is not known. */
export function mediaTypeOfExtension(extension: string): string | undefined {
  const lower = extension.toLowerCase();
  const usual = [...extensions].find(([, one]) => one === lower || one === spellings.get(lower));
  return usual?.[0];
}

/** Media types and their usual extensions. */
const extensions = new Map(
  Object.entries({
    application: 'gzip:gz json pdf zip x-subrip:srt',
    audio: 'aac flac mp4:m4a mpeg:mp3 ogg opus wav webm:weba',
    image: 'avif bmp gif heic jpeg:jpg png svg+xml:svg tiff webp',
    model: 'gltf+json:gltf gltf-binary:glb obj stl vnd.usdz+zip:usdz',
    text: 'csv html markdown:md plain:txt vtt',
    video: 'mp4 ogg:ogv quicktime:mov webm x-matroska:mkv x-msvideo:avi',
  }).flatMap(([type, kinds]) =>
    kinds.split(' ').map((kind): readonly [string, string] => {
      const [name = '', extension = name] = kind.split(':');
      return [`${type}/${name}`, extension];
    }),
  ),
);

const aliases = new Map(
  Object.entries({
    'application/ogg': 'audio/ogg',
    'audio/mp3': 'audio/mpeg',
    'audio/vnd.wave': 'audio/wav',
    'audio/wave': 'audio/wav',
    'audio/x-flac': 'audio/flac',
    'audio/x-m4a': 'audio/mp4',
    'audio/x-wav': 'audio/wav',
    'image/jpg': 'image/jpeg',
  }),
);

const spellings = new Map(
  Object.entries({
    htm: 'html',
    jpe: 'jpg',
    jpeg: 'jpg',
    m4v: 'mp4',
    markdown: 'md',
    oga: 'ogg',
    opus: 'ogg',
    tif: 'tiff',
    wave: 'wav',
  }),
);

function kindFor(mediaType: string): FileKind | undefined {
  const extension = extensions.get(mediaType);
  return extension === undefined ? undefined : { mediaType, extension };
}

/** MP4 and its kin begin with a box that names their brands. */
function isoMediaType(head: string): string | undefined {
  if (head.slice(4, 8) !== 'ftyp') return undefined;
  const brand = head.slice(8, 12);
  if (/^M4[AB] /.test(brand)) return 'audio/mp4';
  if (brand === 'qt  ') return 'video/quicktime';
  if (/^avi[fs]/.test(brand)) return 'image/avif';
  if (/^(?:hei[cxms]|hev[cx]|mif1|msf1)/.test(brand)) {
    return head.slice(16, 64).includes('avif') ? 'image/avif' : 'image/heic';
  }
  return 'video/mp4';
}

const magics: readonly (readonly [start: string, mediaType: string])[] = [
  ['fLaC', 'audio/flac'],
  ['glTF', 'model/gltf-binary'],
  ['%PDF-', 'application/pdf'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['PK\x03\x04', 'application/zip'],
  ['\x1f\x8b\x08', 'application/gzip'],
];

function magicType(head: string): string | undefined {
  if (/^RIFF[^]{4}AVI /.test(head)) return 'video/x-msvideo';
  if (/^(?:RIFF|RF64)[^]{4}WAVE/.test(head)) return 'audio/wav';
  // The first page of an Ogg file holds the head of its codec.
  if (head.startsWith('OggS')) {
    if (head.startsWith('OpusHead', 28)) return 'audio/opus';
    return head.startsWith('\x80theora', 28) ? 'video/ogg' : 'audio/ogg';
  }
  if (head.startsWith('\x1a\x45\xdf\xa3')) {
    return head.includes('webm') ? 'video/webm' : 'video/x-matroska';
  }
  if (/^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)?<svg[\s>]/.test(head)) {
    return 'image/svg+xml';
  }
  if (/^ID3[\x02-\x04]/.test(head)) return 'audio/mpeg';
  return magics.find(([start]) => head.startsWith(start))?.[1];
}

/** MPEG audio begins with a frame: eleven set bits, then version, layer and rates that exist. */
function mpegType(bytes: Uint8Array): string | undefined {
  const [first = 0, second = 0, third = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const version = (second >> 3) & 3;
  const layer = (second >> 1) & 3;
  // ADTS (AAC) has the same start, with layer 0.
  if (layer === 0) return (second & 0xf6) === 0xf0 ? 'audio/aac' : undefined;
  const isPossible = version !== 1 && third >> 4 !== 15 && ((third >> 2) & 3) !== 3;
  return isPossible ? 'audio/mpeg' : undefined;
}

/** The media type of an image that the chat formats take; undefined when it is none. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = latin1(bytes, 16);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array, most: number): string {
  return Buffer.from(buffer, byteOffset, Math.min(byteLength, most)).toString('latin1');
}

/** The text when the bytes are UTF-8 without NULs; undefined when they are something else. */
export function textIn(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : utf8Text(bytes);
}
