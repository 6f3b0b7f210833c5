import { formatRub } from '../../lib/amounts.js';
import { formatAge } from '../../lib/duration.js';
import type { DoctorTexts, FindingTexts } from '../doctor.js';

const unfinished = {
  unansweredJobs: ['job', 'without an answer'],
  unansweredRequests: ['request', 'without an answer'],
  unpricedRequests: ['request', 'without a price'],
  runningJobs: ['job', 'in progress'],
  unsavedJobs: ['job', 'to download'],
} as const;

const findings: FindingTexts = {
  singleBinary: (runtime) => `single binary, ${runtime}`,
  installed: (version, by, path) => `${version}, installed with ${by} in ${path}`,
  notWritten: (file) => `${file}, not written yet`,
  cannotWrite: (folder, reason) => ({
    warning: `svc cannot write to ${folder}: ${reason}`,
    hint: 'make it writable, or set SVC_CONFIG_DIR to another folder',
  }),
  diskIsFull: (folder, command) => ({
    warning: `the disk of ${folder} is full`,
    hint: `free some space: ${command}`,
  }),
  isShared: (paths) => `other users may read ${paths.join(' and ')}`,
  noAnswer: 'the service did not answer',
  noDate: 'the service sends no date',
  sameTime: "within a minute of the service's clock",
  otherTime: (aheadMs, command) => ({
    warning: `${formatAge(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service's clock`,
    hint: `set it: ${command}`,
  }),
  noProxy: 'none for this address',
  proxy: (address, variable) => `through ${address} (${variable})`,
  uncheckedCertificates: {
    warning: 'no certificate is checked: NODE_TLS_REJECT_UNAUTHORIZED is 0',
    hint: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
  },
  certificates: (file) =>
    `trusts the built-in root certificates${file === undefined ? '' : ` and those in ${file}`}`,
  unusedCertificates: (file, reason, code) => ({
    warning: `the certificates in ${file} are not used: ${code === '' ? 'not PEM' : reason}`,
    hint: 'set NODE_EXTRA_CA_CERTS to a PEM file, or unset it',
  }),
  resolves: (host, addresses) => `${host} resolves to ${addresses.join(', ')}`,
  notEncrypted: 'connected, not encrypted',
  encrypted: (protocol, issuer, until) =>
    `${protocol}, certificate issued by ${issuer}, valid until ${until}`,
  renewCertificate: 'ask the service to renew it: `svc tickets create`',
  keyNotNeeded: 'not needed with --local',
  keyAccepted: (key, source) => `${key} (${source}), accepted by the service`,
  balance: (leftRub) => formatRub(leftRub),
  lowBalance: (leftRub) => ({
    warning: `${formatRub(leftRub)} left`,
    hint: 'top it up in the web cabinet of the service',
  }),
  noTerminal: 'stdout is not a terminal',
  terminal: ({ name, columns, hasColours, images = 'no', locale = 'no locale' }) => {
    const colours = hasColours ? 'colours' : 'no colours';
    return `${name}, ${columns} columns, ${colours}, ${images} images, ${locale}`;
  },
  unknownTerminal: 'unknown terminal',
  wrongLetters: 'letters may be shown wrongly',
  unfinished: (kind, count) => {
    const [noun, how] = unfinished[kind];
    return `${count} ${noun}${count === 1 ? '' : 's'} ${how}`;
  },
  nothingUnfinished: 'none',
};

export const doctor: DoctorTexts = {
  checking: 'checking',
  check: (name) => name,
  titles: { check: 'CHECK', status: 'STATUS', message: 'MESSAGE' },
  mark: (mark) => mark,
  hint: (words) => `hint: ${words}`,
  notTried: (why) => `not tried: ${why}`,
  needs: (check) => `it needs ${check}`,
  othersAreFine: (fine, skipped, command) => {
    const left = skipped === 0 ? '' : `, ${skipped} ${skipped === 1 ? 'was' : 'were'} not made`;
    return `${fine} checks are fine${left}: ${command}`;
  },
  checked: (isLocal) =>
    `checked this computer and ${isLocal ? 'the embedded service' : 'the network, the key and the balance'}`,
  allIsWell: (command) => `all is well (${command} shows more)`,
  findings,
};
