/** A log that a program fills, and the requests that it is told of. */
import { Answer } from '../../src/api/chat/answer.js';
import type { Piece } from '../../src/api/chat/pieces.js';
import { createChatCompletion, createMessage, createResponse } from '../../src/contract/chat.js';
import type { ChatFormat } from '../../src/contract/enums.js';
import type { ProxiedRequest } from '../../src/proxy/proxied.js';
import { TurnLog } from '../../src/proxy/turn-log.js';
import { accountOf, localService } from '../../src/state/account.js';
import { Log } from '../../src/state/log.js';
import { pathsFrom } from '../../src/state/paths.js';
import { testFolder } from '../helpers/folder.js';

const rows = { chat: createChatCompletion, messages: createMessage, responses: createResponse };
export const account = accountOf('local', localService, 'sk-svc-local');

export function scene() {
  const home = testFolder();
  const paths = pathsFrom({ SVC_CONFIG_DIR: home });
  const warnings: string[] = [];
  const warn = (sentence: string) => warnings.push(sentence);
  const turnLog = new TurnLog({ paths, account, program: 'codex', warn });
  return { home, paths, log: new Log(paths), turnLog, warnings };
}

let number = 0;
export function request(
  format: ChatFormat,
  body: unknown,
  pieces: readonly Piece[] = [],
  more: Partial<ProxiedRequest> = {},
): ProxiedRequest {
  const answer = new Answer(true, true);
  for (const piece of pieces) answer.add(piece);
  number += 1;
  return {
    ...{ atMs: 1000, method: 'POST', path: rows[format].path, row: rows[format] },
    ...{ model: 'local/echo', status: 200, ms: 300, isWhole: true, answer },
    sent: typeof body === 'string' ? body : JSON.stringify(body),
    usage: { inputTokens: 10, outputTokens: 2 },
    generationId: `gen-${number}`,
    ...more,
  };
}

export const says = (text: string): Piece[] => [
  { type: 'text', text },
  { type: 'finish', reason: 'stop' },
];
