import { expect, it } from 'vitest';
import { accountOf, isSameAccount, namesOfService } from '../../src/state/account.js';

const at = (service: string) => accountOf('work', service, 'sk-svc-0123');

it('the three names of this machine are one account, at one port', () => {
  const [first, ...others] = [
    'http://localhost:8787',
    'http://127.0.0.1:8787',
    'http://[::1]:8787',
  ].map(at);
  for (const other of others) expect(first && isSameAccount(first, other)).toBe(true);
  expect(first && isSameAccount(first, at('http://localhost:8788'))).toBe(false);
  expect(first && isSameAccount(first, at('http://localhost.example:8787'))).toBe(false);
  expect(namesOfService('http://[::1]:8787/gate')).toBe(
    '["http://127.0.0.1:8787/gate","http://localhost:8787/gate","http://[::1]:8787/gate"]',
  );
  expect(namesOfService('https://api.example.com')).toBe('["https://api.example.com"]');
});
