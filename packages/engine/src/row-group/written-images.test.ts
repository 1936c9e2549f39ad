import { expect, test } from 'vitest';
import { KeptPictures } from './written-images.ts';

test('a picture belongs to its row as long as the row shows it', () => {
  const pictures = new KeptPictures();
  const note = (row: number, ...paths: string[]) => {
    for (const path of paths) pictures.note(row, { column: 'art', path });
  };
  note(0, 'images/art/a.png');
  note(1, 'images/art/b.png', 'images/art/c.png');
  note(2, 'images/art/lost.png');
  note(3, 'images/art/failed.png');
  note(4, 'images/art/first.png', 'images/art/second.png');
  pictures.settle(0, { art: 'images/art/a.png' });
  pictures.settle(1, { art: ['images/art/b.png', 'images/art/c.png'] });
  pictures.settle(2, undefined);
  pictures.settle(3, { art: null });
  pictures.settle(4, { art: 'images/art/second.png' });
  pictures.settle(5, { art: null });
  expect(pictures.orphans).toEqual(['images/art/lost.png', 'images/art/failed.png', 'images/art/first.png']);
});
