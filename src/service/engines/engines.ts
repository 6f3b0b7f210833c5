/** The engines by name, each loaded when it is first asked. */
import type { Clock } from '../../lib/clock.js';
import type { ChatModel } from '../catalog.js';
import type { Engine } from './types.js';

export type Engines = Readonly<Record<ChatModel['engine'], Engine>>;

/** @param scriptPath the file that local/script answers from */
export function makeEngines(scriptPath: string | undefined, clock: Clock): Engines {
  let script: Promise<Engine> | undefined;
  return {
    guide: async (prompt) => (await import('./guide.js')).guide(prompt),
    echo: async (prompt) => (await import('./echo.js')).echo(prompt),
    script: async (prompt, signal) => {
      script ??= import('./script.js').then((module) => module.scriptEngine(scriptPath, clock));
      return (await script)(prompt, signal);
    },
  };
}
