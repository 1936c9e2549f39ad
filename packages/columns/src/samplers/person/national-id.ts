import type { Random } from '@data-designer/core';

/** Numbers assigned from this day on do not encode a state. */
const WITHOUT_STATES = Date.UTC(2011, 5, 25);

const ANY_AREA = [1, 899] as const;
/** Never assigned. */
const NO_AREA = 666;

/** The first and last area number of each state. */
const AREAS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  NH: [1, 3],
  ME: [4, 7],
  VT: [8, 9],
  MA: [10, 34],
  RI: [35, 39],
  CT: [40, 49],
  NY: [50, 134],
  NJ: [135, 158],
  PA: [159, 211],
  MD: [212, 220],
  DE: [221, 222],
  VA: [223, 231],
  WV: [232, 236],
  NC: [237, 246],
  SC: [247, 251],
  GA: [252, 260],
  FL: [261, 267],
  OH: [268, 302],
  IN: [303, 317],
  IL: [318, 361],
  MI: [362, 386],
  WI: [387, 399],
  KY: [400, 407],
  TN: [408, 415],
  AL: [416, 424],
  MS: [425, 428],
  AR: [429, 432],
  LA: [433, 439],
  OK: [440, 448],
  TX: [449, 467],
  MN: [468, 477],
  IA: [478, 485],
  MO: [486, 500],
  ND: [501, 502],
  SD: [503, 504],
  NE: [505, 508],
  KS: [509, 515],
  MT: [516, 517],
  ID: [518, 519],
  WY: [520, 520],
  CO: [521, 524],
  NM: [525, 527],
  AZ: [526, 527],
  UT: [528, 529],
  NV: [530, 530],
  WA: [531, 539],
  OR: [540, 544],
  CA: [545, 573],
  AK: [574, 574],
  HI: [575, 576],
  DC: [577, 579],
  VI: [580, 580],
  PR: [580, 599],
  GU: [586, 586],
  AS: [586, 586],
};

/** Draws a United States identification number `AAA-GG-SSSS` for a state and birth date. */
export function drawNationalId(state: string, born: Date, random: Random): string {
  const ofState = born.getTime() < WITHOUT_STATES && Object.hasOwn(AREAS, state) ? AREAS[state] : undefined;
  const area = drawArea(ofState ?? ANY_AREA, random);
  const group = 1 + random.below(99);
  const serial = 1 + random.below(9999);
  return `${padded(area, 3)}-${padded(group, 2)}-${padded(serial, 4)}`;
}

function drawArea([first, last]: readonly [number, number], random: Random): number {
  const skips = first <= NO_AREA && NO_AREA <= last;
  const area = first + random.below(last - first + (skips ? 0 : 1));
  return skips && area >= NO_AREA ? area + 1 : area;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
