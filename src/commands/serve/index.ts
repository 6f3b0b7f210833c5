import { command, duration, flag, integer, text } from '../../command.js';
import { embedded } from '../../contract/limits.js';
import { durationText } from '../../lib/duration.js';
import { tapeOptions, tapeRules } from '../tape-options.js';

export const defaultHost = '127.0.0.1';
export const defaultPort = 8787;

export const portOption = (port: number) =>
  integer('N', 'the port; 0 picks a free one', { default: String(port), min: 0, max: 65535 });

export const serve = command('serve', 'run the embedded service over HTTP on loopback', {
  heading: 'Tools',
  description:
    'Run the embedded service over HTTP on this machine, for any client of the service and the public SDKs. Print its address on stdout and a line for each request on stderr; -v adds the bodies.',
  options: {
    port: portOption(defaultPort),
    host: text('HOST', 'a loopback address', { default: defaultHost }),
    script: text('FILE', 'the rules of local/script (SVC_LOCAL_SCRIPT)'),
    corpus: text(
      'DIR',
      'a folder of texts to search, in addition to the manual (SVC_LOCAL_CORPUS)',
    ),
    jobTime: duration(
      'TIME',
      'the duration of every media job (SVC_LOCAL_JOB_TIME; default: as the model)',
      { min: 0 },
    ),
    imageDeadline: duration('TIME', 'time after which an image is answered with 504', {
      default: durationText(embedded.imageDeadlineMs),
    }),
    replyTime: duration(
      'TIME',
      `time until a ticket is answered (SVC_LOCAL_REPLY_TIME; default: ${durationText(embedded.ticketReplyMs)})`,
    ),
    allowLoopbackWebhooks: flag(
      'also send notifications to addresses on this machine, including http',
    ),
    allowFetch: flag('fetch voice recordings from https addresses and from this machine'),
    memory: flag('keep the ledger in memory and start with an empty one'),
    ...tapeOptions,
  },
  ...tapeRules,
  examples: [
    'svc serve --port 8787 # stop it with Ctrl-C',
    'SVC_BASE_URL=http://127.0.0.1:8787 SVC_API_KEY=sk-svc-local svc balance # use it',
  ],
});
