import { describe, expect, it } from 'vitest';
import { passages } from '../../../src/service/engines/manual.js';
import { manualDocuments, manualPage, manualPath } from '../../../src/service/search/documents.js';

describe('the pages of the manual', () => {
  it('have an address each, and none is lost', () => {
    const documents = manualDocuments();
    expect(documents).toHaveLength(passages.length);
    for (const { address } of documents) {
      expect(address).toMatch(/^\/manual\/[a-z0-9-]+$/);
      expect(manualPage(address.slice(manualPath.length))).toMatch(/^# \S/);
    }
  });
});
