import { expect, test } from 'vitest';
import { philox, Random } from './random.ts';

// Known answers published with Random123 (kat_vectors, philox4x32 10).
test.each([
  [
    [0, 0, 0, 0],
    [0, 0],
    [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
  ],
  [
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
])('philox gives the published answer for counter %j and key %j', (counter, [key0 = 0, key1 = 0], answer) => {
  const block = Uint32Array.from(counter);
  philox(block, key0, key1);
  expect([...block]).toEqual(answer);
});

test('a draw depends on its address alone, not on the draws before it', () => {
  const inOrder = Random.of(7, 'topic').at(3);
  const drawn = [inOrder.float(), inOrder.float(), inOrder.float(), inOrder.float(), inOrder.float()];
  const other = Random.of(7, 'topic');
  expect(other.at(3, 4).float()).toBe(drawn[4]);
  expect(other.at(9).float()).not.toBe(drawn[0]);
  expect(other.at(3, 1).float()).toBe(drawn[1]);
});

// A change to one of these changes every dataset that is generated again from its seed.
test.each([
  [[0, 'topic', 0, 0, 0], 0x68a5e8c6],
  [[7, '1', 3, 0, 0], 0xf312ef29],
  [[71, '', 3, 0, 0], 0x7798eb0b],
  [[7, 'topic', 2 ** 32 + 5, 4, 0], 0x8f622f30],
  [[7, 'topic', 3, 0, 1], 0x06ac56ef],
  [[7, 'topic', 3, 0, 2], 0xec164159],
  [[2 ** 53 - 1, 'größe', 9, 1, 0], 0x5fabe5c4],
] as const)('the bits for seed, column, row, draw and lane %j never change', (at, bits) => {
  const [seed, column, row, draw, lane] = at;
  expect(Random.of(seed, column).at(row, draw, lane).bits()).toBe(bits);
});

test('seed, column, row and draw number each change the draw', () => {
  const draws = [
    Random.of(1, 'a').at(0).float(),
    Random.of(2, 'a').at(0).float(),
    Random.of(1, 'b').at(0).float(),
    Random.of(1, 'a').at(1).float(),
    Random.of(1, 'a')
      .at(2 ** 32)
      .float(),
    Random.of(1, 'a').at(0, 1).float(),
  ];
  expect(new Set(draws).size).toBe(draws.length);
});

test('draws are uniform: chi-squared over 16 bins stays below the 99.9 % point', () => {
  const random = Random.of(11, 'uniform');
  const bins = Array.from({ length: 16 }, () => 0);
  const rows = 32_000;
  for (let row = 0; row < rows; row++) {
    const bin = random.at(row).below(16);
    bins[bin] = (bins[bin] as number) + 1;
  }
  const expected = rows / 16;
  const chiSquared = bins.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquared).toBeLessThan(37.7);
});

test('a float combines two successive results of bits', () => {
  const random = Random.of(5, 'words').at(8);
  const [high, low] = [random.bits(), random.bits()];
  expect(((high >>> 5) * 0x4000000 + (low >>> 6)) / 0x20000000000000).toBe(Random.of(5, 'words').at(8).float());
});

test('distinct bits are unique to a row and do not depend on its draws', () => {
  const random = Random.of(5, 'ids');
  const places = Array.from({ length: 200_000 }, (_, row) => random.at(row).distinctBits());
  expect(new Set(places).size).toBe(places.length);
  random.at(77, 4).float();
  expect(random.distinctBits()).toBe(places[77]);
  expect(Random.of(6, 'ids').at(77).distinctBits()).not.toBe(places[77]);
  expect(Random.of(5, 'other').at(77).distinctBits()).not.toBe(places[77]);
  expect(random.at(77 + 2 ** 32).distinctBits()).not.toBe(places[77]);
});
