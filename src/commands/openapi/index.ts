import { command, flag, text, type Loaded } from '../../cli/declaration.js';

export const openapi = {
  ...command({
    name: 'openapi',
    summary: "print the service's OpenAPI description",
    options: {
      output: text('FILE', 'write it to a new file; - is stdout', {
        short: 'o',
        completes: 'file',
      }),
      force: flag('replace the file of -o'),
    },
    examples: [
      { command: 'svc openapi -o openapi.json', note: 'as a file, whole or not at all' },
      { command: 'svc --local openapi | jq .info', note: 'of the embedded service' },
    ],
    endpoints: ['openapi.get'],
    load: (): Promise<Loaded> => import('./openapi.js'),
  }),
  heading: 'Tools',
} as const;
