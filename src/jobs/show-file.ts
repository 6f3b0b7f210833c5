/** A saved result on the screen: its picture or its sound, and its path; or in the system viewer. */
import type { Context } from '../context.js';
import { withFiles } from '../files/named-file.js';
import { exactly, type SizedSource } from '../lib/audio/source.js';
import { fileKindOf, kindBytes, mediaTypeOfExtension } from '../lib/file-kind.js';
import { splitExtension } from '../lib/file-name.js';
import { NoPicture } from '../lib/pixels.js';
import { showInViewer } from '../terminal/viewer.js';

/** The path is the last line. @param preview draws a picture anyhow, or says why not. */
export async function showFile(context: Context, path: string, preview = false): Promise<void> {
  const { out } = context;
  try {
    if (!out.isTerminal) throw new NoPicture('stdout is not a terminal');
    await withFiles([path], async ([file]) => file && drawFile(context, file, preview));
  } catch (error) {
    // The file is saved all the same.
    const why = error instanceof NoPicture ? error.message : 'it cannot be read';
    if (preview) out.note(`no preview of ${path}: ${why}`);
  }
  await out.line(path);
}

const maxPictureBytes = 8 * 1024 * 1024;

async function drawFile({ out, env, flags }: Context, file: SizedSource, anywhere: boolean) {
  const { mediaType = '' } = fileKindOf(await exactly(file, 0, kindBytes)) ?? {};
  if (mediaType.startsWith('audio/')) {
    if (flags.quiet || !out.isErrorTerminal) return;
    const { waveformOf } = await import('../lib/audio/waveform.js');
    const wave = await waveformOf(file, Math.min(60, out.columns - 9));
    if (wave !== undefined) out.dim(wave);
  } else if (anywhere || mediaType.startsWith('image/')) {
    if (file.length > maxPictureBytes) throw new NoPicture('it is larger than 8 MB');
    const { drawPicture } = await import('../terminal/picture.js');
    const bytes = await exactly(file, 0, file.length);
    const drawn = await drawPicture(bytes, { env, columns: out.columns, anywhere });
    if (drawn !== undefined) await out.bytes(Buffer.from(drawn));
  }
}

export async function openResult(context: Context, path: string, isTrusted = false) {
  // A viewer uses the extension, which the service may have chosen, and some are executable.
  const mediaType = mediaTypeOfExtension(splitExtension(path)[1].slice(1)) ?? '';
  const failure =
    isTrusted || /^(?:image|audio|video|model)\//.test(mediaType)
      ? await showInViewer(path, context.env)
      : `${path} is not an image, audio, video or 3D model; it was not opened`;
  if (failure !== undefined) context.out.warn(failure);
}
