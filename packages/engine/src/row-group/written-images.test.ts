import { expect, test } from 'vitest';
import { WrittenImages } from './written-images.ts';

test('an image that no finished row shows is orphaned', () => {
  const images = new WrittenImages();
  const write = (row: number, ...paths: string[]) => {
    for (const path of paths) images.add(row, { column: 'art', path, bytes: 1, crc32: 2 });
  };
  write(0, 'images/art/a.png');
  write(1, 'images/art/b.png', 'images/art/c.png');
  write(2, 'images/art/lost.png');
  write(3, 'images/art/failed.png');
  write(4, 'images/art/first.png', 'images/art/second.png');
  images.settle(0, { art: 'images/art/a.png' });
  images.settle(1, { art: ['images/art/b.png', 'images/art/c.png'] });
  images.settle(2, undefined);
  images.settle(3, { art: null });
  images.settle(4, { art: 'images/art/second.png' });
  images.settle(5, { art: null });
  expect(images.orphaned).toEqual(['images/art/lost.png', 'images/art/failed.png', 'images/art/first.png']);
  expect([0, 1, 4, 2, 5].map((row) => images.shownBy(row).length)).toEqual([1, 2, 1, 0, 0]);
  const shown = images.shownWithout(new Set([1]));
  expect(shown).toEqual(['a', 'second'].map((name) => ({ path: `images/art/${name}.png`, bytes: 1, crc32: 2 })));
});

test('an image of another attempt is shown where the row stores that attempt', () => {
  const images = new WrittenImages(['tries__all', 'tries__chosen']);
  for (const name of ['kept', 'listed', 'chosen', 'gone', 'other'])
    images.add(0, { column: name === 'other' ? 'else' : 'art', path: `${name}.png`, bytes: 1, crc32: 2 });
  images.settle(0, {
    art: ['kept.png'],
    tries__all: [{ art: ['listed.png', 'other.png'] }],
    tries__chosen: { art: 'chosen.png' },
  });
  expect(images.orphaned).toEqual(['gone.png', 'other.png']);
  images.add(1, { column: 'art', path: 'lost.png', bytes: 1, crc32: 2 });
  images.settle(1, { art: null, tries__all: null, tries__chosen: null });
  expect(images.orphaned).toEqual(['gone.png', 'other.png', 'lost.png']);
});
