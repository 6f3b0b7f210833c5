import { expect, test } from 'vitest';
import { faultFrom, parseEvent, refuseError, StreamFault } from '../../../src/api/chat/answer.js';

/** What a function throws, which must be a fault. */
function faultOf(act: () => unknown): StreamFault {
  try {
    act();
  } catch (error) {
    if (error instanceof StreamFault) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('data is decoded as UTF-8', () => {
  const data = Buffer.from('{"a":"é🌍"}', 'utf8').toString('latin1');
  expect(parseEvent(undefined, data)).toEqual({ a: 'é🌍' });
});

test.each(['', '{', 'hello', '{"a":1}{"b":2}', '[1]', '1', 'true', 'null', '\ufeff{}'])(
  'data of %j is no event',
  (data) => {
    expect(faultOf(() => parseEvent(undefined, data)).code).toBe('invalid_event');
  },
);

test('a text in place of an event is an error in words', () => {
  expect(faultOf(() => parseEvent(undefined, '"out of order"')).message).toBe('out of order');
});

test('an event named error may hold bare words', () => {
  expect(faultOf(() => parseEvent('error', 'out of order')).message).toBe('out of order');
});

test.each<[unknown, string, string | undefined]>([
  [{ error: { message: 'no', code: 'overloaded' } }, 'no', 'overloaded'],
  [{ error: { message: 'no', type: 'server_error' } }, 'no', 'server_error'],
  [{ error: { message: 'no', type: 'server_error', code: null } }, 'no', 'server_error'],
  [{ error: { message: 'no', code: 502 } }, 'no', '502'],
  [{ error: 'no' }, 'no', undefined],
  [{ error: true }, '', undefined],
  [{ error: ['no'] }, '', undefined],
  [{ error: {} }, '', undefined],
  [{ error: { message: { text: 'no' } } }, '', undefined],
  [{ type: 'error', message: 'no', code: 'slow_down' }, 'no', 'slow_down'],
  [{ type: 'error', error: { type: 'overloaded_error', message: 'no' } }, 'no', 'overloaded_error'],
  [{ type: 'error' }, '', undefined],
])('%j is an error', (event, message, code) => {
  const fault = faultOf(() => {
    refuseError(undefined, parseEvent(undefined, JSON.stringify(event)));
  });
  expect(fault).toMatchObject({ message, code });
});

test.each([{}, { error: null }, { error: false }, { error: '' }, { error: 0 }, { type: 'ping' }])(
  '%j is no error, unless its event is named so',
  (event) => {
    expect(() => {
      refuseError('message', event);
    }).not.toThrow();
    expect(() => {
      refuseError('error', event);
    }).toThrow(StreamFault);
  },
);

test('the type of an error names it only when it says more than error', () => {
  expect(faultFrom({ type: 'error', message: 'no' }).code).toBeUndefined();
  expect(faultFrom({ type: 'api_error', message: 'no' }).code).toBe('api_error');
});
