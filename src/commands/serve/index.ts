import { command, duration, flag, integer, text, type Loaded } from '../../cli/declaration.js';
import { embedded } from '../../contract/limits.js';
import { durationText } from '../../lib/duration.js';

export const defaultHost = '127.0.0.1';
export const defaultPort = 8787;

export const serve = command('serve', 'run the embedded service over HTTP on loopback', {
  heading: 'Tools',
  description:
    'Run the embedded service over HTTP, for this machine alone. The address goes to stdout;\nany client of the service, and the public SDKs, can use it.',
  options: {
    port: integer('N', 'the port; 0 picks a free one', {
      default: String(defaultPort),
      min: 0,
      max: 65535,
    }),
    host: text('HOST', 'a loopback address', { default: defaultHost }),
    script: text('FILE', 'what local/script answers from (SVC_LOCAL_SCRIPT)'),
    corpus: text('DIR', 'a folder of texts to search besides the manual (SVC_LOCAL_CORPUS)'),
    jobTime: duration(
      'TIME',
      "how long a media job takes, in place of each model's time (SVC_LOCAL_JOB_TIME)",
      { min: 0 },
    ),
    imageDeadline: duration('TIME', 'how long an image may take before its caller is told 504', {
      default: durationText(embedded.imageDeadlineMs),
    }),
    replyTime: duration(
      'TIME',
      `how long a ticket waits for its answer; ${durationText(embedded.ticketReplyMs)} unless given (SVC_LOCAL_REPLY_TIME)`,
    ),
    allowLoopbackWebhooks: flag(
      'send notifications to addresses on this machine as well, by http too',
    ),
    allowFetch: flag('fetch the recordings of voices from https addresses, and from this machine'),
    memory: flag('keep the ledger in memory, and start afresh each time'),
  },
  examples: [
    'svc serve --port 8787 # until Ctrl-C',
    'SVC_BASE_URL=http://127.0.0.1:8787 SVC_API_KEY=sk-svc-local svc balance # talk to it',
  ],
  load: (): Promise<Loaded> => import('./serve.js'),
});
