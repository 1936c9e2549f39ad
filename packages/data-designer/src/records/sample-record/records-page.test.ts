import { expect, test } from 'vitest';
import { recordsPage } from './records-page.ts';

async function pageOf(picture: string): Promise<string> {
  const section = { kind: 'pictures', title: 'Pictures', pictures: [{ name: 'pic', text: picture }] } as const;
  const records = (async function* () {
    yield { number: 1, sections: [section] };
  })();
  return recordsPage(records, { title: 'a page' });
}

const base64 = (hex: string) => Buffer.from(`${hex}${'00'.repeat(12)}`, 'hex').toString('base64');

test.each([
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ffe0'],
  ['image/gif', '474946383961'],
  ['image/webp', '524946460000000057454250'],
])('an image in Base64 is shown as %s, detected by its bytes', async (mediaType, hex) => {
  expect(await pageOf(base64(hex))).toContain(`<img alt="pic" src="data:${mediaType};base64,`);
});

test.each([
  ['audio that begins like an image', base64('524946460000000057415645')],
  ['a URL', 'https://example.org/a.png'],
  ['an image followed by other text', `${base64('ffd8ffe0')}" onerror="x`],
])('%s is not shown as an image', async (_, source) => {
  expect(await pageOf(source)).not.toContain('<img');
});
