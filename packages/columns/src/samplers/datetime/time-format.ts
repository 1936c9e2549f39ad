import { parseTime } from './parse-time.ts';

/** What each directive of a time format prints at midnight of Friday, the 21st of December 2012. */
const PRINTED: Readonly<Record<string, string>> = {
  a: 'Fri',
  A: 'Friday',
  b: 'Dec',
  B: 'December',
  c: 'Fri Dec 21 00:00:00 2012',
  C: '20',
  d: '21',
  D: '12/21/12',
  e: '21',
  f: '000000',
  F: '2012-12-21',
  g: '12',
  G: '2012',
  h: 'Dec',
  H: '00',
  I: '12',
  j: '356',
  k: ' 0',
  l: '12',
  m: '12',
  M: '00',
  n: '\n',
  p: 'AM',
  P: 'am',
  r: '12:00:00 AM',
  R: '00:00',
  s: '1356048000',
  S: '00',
  t: '\t',
  T: '00:00:00',
  u: '5',
  U: '51',
  V: '51',
  w: '5',
  W: '51',
  x: '12/21/12',
  X: '00:00:00',
  y: '12',
  Y: '2012',
  z: '',
  Z: '',
  '%': '%',
};

/** A time of day alone, which is read back too. */
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AP]M)?$/i;

/**
 * Why a text cannot be the format of a column of times, in words that follow its name; undefined where it can: what it
 * prints must be readable again (as in NeMo Data Designer).
 */
export function mistakeInTimeFormat(format: string): string | undefined {
  const directives = [...format.matchAll(/%-?(.?)/gs)].map(([, letter = '']) => letter);
  const unknown = directives.find((letter) => !Object.hasOwn(PRINTED, letter));
  if (unknown !== undefined) return `there is no directive %${unknown}`;
  const printed = printProbe(format);
  if (parseTime(printed) !== undefined || CLOCK.test(printed)) return undefined;
  return `what it prints, as '${printed}', cannot be read as a time`;
}

/** That midnight in a format; `-` leaves the zeros in front out. */
function printProbe(format: string): string {
  return format.replace(/%(-?)(.)/gs, (_, flag: string, letter: string) => {
    const text = PRINTED[letter] ?? '';
    return flag === '-' ? text.replace(/^[0 ]+(?=\d)/, '') : text;
  });
}
