import { command, type Loaded } from '../../cli/declaration.js';

export const openapi = {
  ...command({
    name: 'openapi',
    summary: "print the service's OpenAPI description",
    examples: [{ command: 'svc --local openapi > openapi.json', note: 'of the embedded service' }],
    endpoints: ['openapi.get'],
    load: (): Promise<Loaded> => import('./openapi.js'),
  }),
  heading: 'Tools',
} as const;
