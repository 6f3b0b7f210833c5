/** The chat models by name, each loaded on first use. */
import type { Clock } from '../../lib/clock.js';
import type { Engine, Engines } from './engine.js';

export function makeEngines(scriptPath: string | undefined, clock: Clock): Engines {
  let script: Promise<Engine> | undefined;
  return {
    guide: async (prompt) => (await import('./guide.js')).guide(prompt),
    echo: async (prompt) => (await import('./answers.js')).echo(prompt),
    script: async (prompt, request) => {
      script ??= import('./script.js').then((module) => module.scriptEngine(scriptPath, clock));
      return (await script)(prompt, request);
    },
  };
}
