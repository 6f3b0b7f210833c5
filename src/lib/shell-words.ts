/** The words of a command line that svc runs without a shell. */
import { platform as thisPlatform } from 'node:process';

/**
 * Split as a shell does, and nothing else of it; the `\` of Windows separates folders.
 * @throws for a quote without an end
 */
export async function wordsIn(line: string, platform = thisPlatform): Promise<string[]> {
  const { split } = await import('shlex');
  const path = (part: string) => part.replace(/^\\/, '$&$&');
  return split(platform === 'win32' ? line.replace(/'[^']*'|\\/g, path) : line);
}
