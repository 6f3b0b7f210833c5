import { command, type Loaded } from '../../cli/declaration.js';

export const api = {
  ...command({
    name: 'api',
    summary: 'send a request to any path of the service',
    description:
      'Send a request to any path of the service and print the answer as it comes.\nFields are the query of GET and HEAD and the JSON body of other methods.\na[b]=1 nests, a[]=1 makes a list.',
    args: [
      {
        name: 'method',
        summary: 'GET, POST, PATCH, DELETE …',
        required: true,
        completes: ['GET', 'POST', 'PATCH', 'DELETE'],
      },
      { name: 'path', summary: '/v1/models, or a URL below the base URL', required: true },
    ],
    options: {
      field: {
        type: 'text',
        short: 'F',
        value: 'KEY=VALUE',
        summary: 'true, false, null, a number, @FILE, @- or text; may be repeated',
        many: true,
        heading: 'Request',
      },
      rawField: {
        type: 'text',
        short: 'f',
        value: 'KEY=TEXT',
        summary: 'a field whose value is text as it stands; may be repeated',
        many: true,
        heading: 'Request',
      },
      input: {
        type: 'text',
        value: 'FILE|-',
        summary: 'send this as the body; fields then go to the query',
        completes: 'file',
        heading: 'Request',
      },
      header: {
        type: 'text',
        short: 'H',
        value: "'NAME: VALUE'",
        summary: 'a further header; may be repeated',
        many: true,
        heading: 'Request',
      },
      include: {
        type: 'switch',
        short: 'i',
        summary: 'print the status and the headers before the body',
        heading: 'Answer',
      },
      paginate: {
        type: 'switch',
        summary: 'print each page in turn until there is none',
        heading: 'Answer',
      },
      slurp: {
        type: 'switch',
        summary: 'with --paginate: print one JSON array of the pages',
        heading: 'Answer',
      },
    },
    examples: [
      { command: 'svc api GET /v1/models', note: 'any path, with your key' },
      {
        command: "svc api GET /v1/generations -F limit=100 --paginate | jq '.data[]'",
        note: 'every page, one after the other',
      },
      {
        command: "svc api POST /v1/embeddings -f model=ID -f 'input[]=one' -f 'input[]=two'",
        note: 'fields as a JSON body',
      },
      { command: 'svc api POST /v1/responses --input body.json', note: 'a body as it stands' },
    ],
    conflicts: [['--slurp', '--include']],
    needs: [['--slurp', '--paginate']],
    load: (): Promise<Loaded> => import('./api.js'),
  }),
  heading: 'Tools',
} as const;
