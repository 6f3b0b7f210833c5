/** What is sent of a recording: all of it, or one part after the other. */
import type { Recording as Sent } from '../../api/audio.js';
import { bytesPerMb, transcription as limits } from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { CannotCut, cutWav } from '../../lib/audio/cut.js';
import { span } from '../../lib/audio/source.js';
import { readWav } from '../../lib/audio/wav.js';
import { formatBytes } from '../../lib/amounts.js';
import { numbered } from '../../lib/file-name.js';
import type { Recording } from './recording.js';

export interface Part extends Sent {
  /** Where it lies in the recording; undefined for all of it. */
  readonly seconds: { readonly from: number; readonly to: number } | undefined;
  /** What the file itself says is spoken in it; empty when it does not. */
  readonly comment: string;
}

/** @throws UsageError for what is too large and cannot, or shall not, be cut. */
export async function partsOf(recording: Recording, split: boolean): Promise<readonly Part[]> {
  const { file, kind, sentName } = recording;
  if (file.length > limits.fileBytes) return cutParts(recording, split);
  const type = kind?.mediaType ?? 'application/octet-stream';
  const content = { length: file.length, open: () => span(file, 0), path: file.path };
  return [{ content, name: sentName, type, seconds: undefined, comment: '' }];
}

async function cutParts(recording: Recording, split: boolean): Promise<readonly Part[]> {
  const { file, kind, name, sentName } = recording;
  const isWav = kind?.mediaType === 'audio/wav';
  if (!isWav || !split) throw tooLarge(name, isWav);
  const wav = await readWav(file);
  if (!wav) throw new UsageError(`${name} is a damaged WAV file`, { code: 'not_a_recording' });
  try {
    const cuts = await cutWav(file, wav, limits.fileBytes);
    return cuts.map(({ fromSeconds, toSeconds, length, bytes, comment }, index) => ({
      content: { length, open: bytes },
      name: numbered(sentName, index + 1),
      type: 'audio/wav',
      seconds: { from: fromSeconds, to: toSeconds },
      comment,
    }));
  } catch (error) {
    if (!(error instanceof CannotCut)) throw error;
    throw new UsageError(`${name} cannot be cut: ${error.message}`, {
      code: 'cannot_cut',
      hint: 'write it as plain WAV, or as MP3, which is smaller',
    });
  }
}

function tooLarge(name: string, isWav: boolean): UsageError {
  const most = `${String(limits.fileBytes / bytesPerMb)} MB (${formatBytes(limits.fileBytes)})`;
  return new UsageError(`${name} is larger than the ${most} that the service takes`, {
    code: 'file_too_large',
    hint: isWav
      ? 'cut it where it is quiet and join the text: --split'
      : 'write it smaller, as MP3 for example; a WAV file can be cut with --split',
  });
}
