/** Jobs that have been begun and left alone. */
import type { Reply } from '../../helpers/fake-media.js';
import { scene, type Scene } from '../generate/scene.js';

/** Starts a job for each of these prompts. */
export async function begun(...prompts: string[]): Promise<Scene> {
  const at = await scene();
  for (const prompt of prompts) {
    await at.svc(['generate', 'vendor/canvas', prompt, '--no-wait', '-q']);
  }
  return at;
}

/** What a job goes through from now on. */
export function state(at: Scene, index: number, ...states: Record<string, unknown>[]): void {
  const job = at.media.jobs[index];
  if (job) job.states = states;
}

/** The reply of a proxy when the connection behind it breaks. */
export const badGateway: Reply = { status: 502, bytes: Buffer.from('<html></html>') };
