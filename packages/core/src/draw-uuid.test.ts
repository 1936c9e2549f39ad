import { expect, test } from 'vitest';
import { drawUuid } from './draw-uuid.ts';
import { Random } from './random.ts';

const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const random = Random.of(1, 'uuid');
const uuids = Array.from({ length: 20_000 }, (_, row) => drawUuid(random.at(row)));

test('each is a UUID of version 4', () => {
  expect(uuids.filter((uuid) => !VERSION_4.test(uuid))).toEqual([]);
});

test('rows have different UUIDs, and a row always has the same one', () => {
  expect(new Set(uuids).size).toBe(uuids.length);
  expect(drawUuid(random.at(77))).toBe(uuids[77]);
});

test('every free digit takes all values', () => {
  for (const place of [0, 7, 9, 15, 17, 20, 24, 35]) {
    expect(new Set(uuids.map((uuid) => uuid[place])).size).toBe(16);
  }
  expect(new Set(uuids.map((uuid) => uuid[19])).size).toBe(4);
});
