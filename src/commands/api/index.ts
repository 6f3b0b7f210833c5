import { command, flag, output, text, under } from '../../command.js';

export const api = command('api', 'send a request to any path of the service', {
  heading: 'Tools',
  description:
    'Send a request to any path of the service and print the answer as it arrives. Without a method, it is GET.\nFields become the query of GET and HEAD and the JSON body of other methods.\na[b]=1 nests; a[]=1 makes a list.',
  args: [
    {
      name: 'method',
      summary: 'GET, POST, PATCH, DELETE …',
      default: 'GET',
      completes: ['GET', 'POST', 'PATCH', 'DELETE'],
    },
    { name: 'path', summary: '/v1/models, or a URL below the base URL', required: true },
  ],
  options: {
    ...under('Request', {
      field: text.several('KEY=VALUE', 'a field: true, false, null, a number, @FILE, @- or text', {
        short: 'F',
      }),
      rawField: text.several('KEY=TEXT', 'a field with a literal text value', { short: 'f' }),
      input: text('FILE|-', 'send this file as the body; fields become the query'),
      header: text.several("'NAME: VALUE'", 'an additional header', { short: 'H' }),
    }),
    ...under('Answer', {
      include: flag('print the status and headers before the body', { short: 'i' }),
      paginate: flag('follow and print all pages'),
      slurp: flag('with --paginate, print one JSON array of pages'),
    }),
  },
  examples: [
    'svc api /v1/models # any path, with your key',
    "svc api /v1/generations -F limit=100 --paginate | jq '.data[]' # all pages",
    "svc api POST /v1/embeddings -f model=ID -f 'input[]=one' -f 'input[]=two' # fields as a JSON body",
    'svc api POST /v1/responses --input body.json # a body from a file',
  ],
  conflicts: [
    ['--slurp', '--include'],
    ['--include', '--jq', '--fields'],
  ],
  needs: [['--slurp', '--paginate']],
  mayCharge: true,
});

export const openapi = command('openapi', "print the service's OpenAPI description", {
  heading: 'Tools',
  options: { ...output('FILE', 'write to a new file; - is stdout') },
  examples: [
    'svc openapi -o openapi.json # to a file',
    'svc --local openapi | jq .info # of the embedded service',
  ],
  endpoints: ['openapi.get'],
});
