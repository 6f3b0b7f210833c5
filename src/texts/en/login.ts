import { formatRub } from '../../lib/amounts.js';
import type { LoginTexts } from '../login.js';

const list = (profiles: readonly string[]) => profiles.map((name) => `"${name}"`).join(', ');

const kinds = {
  chat: 'chat',
  image: 'images',
  speech: 'speech',
  video: 'video',
  transcription: 'transcription',
  music: 'music',
  audio: 'sounds',
  '3d': '3D models',
  embedding: 'embeddings',
  decision: 'decisions',
} as const;

const stored = {
  file: 'Stored a key',
  keychain: 'Stored a key in the keychain',
  command: 'Uses a key from key_command',
} as const;

export const login: LoginTexts = {
  warning: 'warning:',
  aboutBaseUrl:
    "The base URL is the address of the service's API, such as https://api.example.com.",
  baseUrlQuestion: 'Base URL',
  badBaseUrl: (problem) => problem,
  createKey: "Create a key in the service's web cabinet, and paste it here.",
  keyQuestion: 'Key',
  keyCommandQuestion: 'Command for the key',
  otherPrefix: (keyPrefix) => `this service's keys start with ${keyPrefix}; this one does not`,
  keyStays: (which, name) =>
    `the ${which} key stays in the keychain as svc, "${name}": unlock the keychain and delete it there`,
  stored: ({ store, service, profile, balanceRub }) => {
    const proved = balanceRub === undefined ? 'not verified' : `balance ${formatRub(balanceRub)}`;
    return `${stored[store]} for ${service} in profile "${profile}"; ${proved}.`;
  },
  isOverridden: 'SVC_API_KEY is set and overrides the stored key',
  noDefaultModel: (command) => `no default model: ${command}`,
  next: (model) => `Next: svc chat ${model === undefined ? '-m MODEL ' : ''}"your question"`,
  titles: {
    service: 'Service',
    profile: 'Profile',
    baseUrl: 'Base URL',
    key: 'Key',
    balance: 'Balance',
  },
  embedded: 'embedded',
  removed: (profiles) =>
    `Removed the key of profile${profiles.length > 1 ? 's' : ''} ${list(profiles)}.`,
  noneStored: (profile) =>
    `No key is stored for ${profile === undefined ? 'any profile' : `profile "${profile}"`}.`,
  isStillUsed: 'SVC_API_KEY is still set and still used',
  refusals: {
    login: {
      401: 'nothing was stored; copy the key again from the cabinet, or check the base URL',
      403: 'nothing was stored; allow this address in the cabinet, or store the key anyway: svc login --no-verify',
      404: 'nothing was stored; check the base URL',
    },
    whoami: {
      401: "create a key in the service's cabinet, then run: svc login",
      403: "add this address to the key's allow-list in the cabinet",
      404: 'check the base URL: svc config get base_url',
    },
  },
  models: {
    kind: (kind) => kinds[kind],
    questionFor: (kind) => `Default model for ${kinds[kind]}`,
    none: 'none',
    othersQuestion: 'Default models for the other kinds',
    others: { these: 'use these', each: 'choose each', none: 'none' },
    ask: (model, price) => `Ask ${model} (${price}; Enter skips):`,
  },
};
