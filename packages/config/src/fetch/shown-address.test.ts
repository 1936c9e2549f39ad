import { expect, test } from 'vitest';
import { shownAddress } from './shown-address.ts';

test.each([
  ['https://example.org/a.yaml', 'https://example.org/a.yaml'],
  ['https://example.org:8443/a@1/b.yaml', 'https://example.org:8443/a@1/b.yaml'],
  ['https://example.org/a.yaml?token=secret#secret', 'https://example.org/a.yaml'],
  ['https://user:secret@example.org/a.yaml', 'https://example.org/a.yaml'],
  ['https://user:se@cret@example.org/a.yaml', 'https://example.org/a.yaml'],
  ['https://secret@[bad/a.yaml', 'https://[bad/a.yaml'],
  ['https://user:se/cret@example.org/a.yaml', 'https://example.org/a.yaml'],
  ['https://user:sec\nret@[bad/a.yaml?secret', 'https://[bad/a.yaml'],
  ['https://', 'https://'],
])('%j is shown as %s', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

test('shownAddress shortens a long address', () => {
  expect(shownAddress(`https://example.org/${'a'.repeat(10_000)}.yaml`).length).toBeLessThan(400);
});
