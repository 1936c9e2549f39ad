import { expect, test } from 'vitest';
import { inlinedMedia } from './media.ts';

const base64 = (hex: string) => Buffer.from(`${hex}${'00'.repeat(12)}`, 'hex').toString('base64');

test.each([
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ffe0'],
  ['image/gif', '474946383961'],
  ['image/webp', '524946460000000057454250'],
])('an image in Base64 is inlined as %s, detected by its bytes', async (mediaType, hex) => {
  const address = `data:${mediaType};base64,${base64(hex)}`;
  const media = await inlinedMedia([base64(hex)], 'image', { column: 'pic', folder: null });
  expect(media).toEqual([{ name: 'pic', kind: 'image', address, note: null }]);
});

test.each([
  ['audio that begins like an image', base64('524946460000000057415645')],
  ['a URL', 'https://example.org/a.png'],
  ['an image followed by other text', `${base64('ffd8ffe0')}" onerror="x`],
  ['the path of a file elsewhere', '/etc/hostname'],
])('%s is not inlined, but named', async (_, source) => {
  const [medium] = await inlinedMedia(source, 'image', { column: 'pic', folder: import.meta.dirname });
  expect(medium?.address).toBeNull();
  expect(medium?.note).toContain(source);
});
