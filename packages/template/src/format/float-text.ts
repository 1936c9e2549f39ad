/** Decomposes a finite float into `mantissa * 2 ** exponent`, exactly. */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: exponent - 1075 };
}

/** `|value| * 10 ** power`, rounded half to even on the exact binary value, as Python rounds. */
export function scaledRound(value: number, power: number): bigint {
  const { mantissa, exponent } = decompose(value);
  let above = mantissa;
  let below = 1n;
  if (exponent >= 0) above <<= BigInt(exponent);
  else below <<= BigInt(-exponent);
  if (power >= 0) above *= 10n ** BigInt(power);
  else below *= 10n ** BigInt(-power);
  const whole = above / below;
  const twice = (above % below) * 2n;
  return twice > below || (twice === below && whole % 2n === 1n) ? whole + 1n : whole;
}

/** All digits of a double beyond this many decimals or significant digits are zero. */
const MAX_DIGITS = 1100;

/** The steps of formatting a number: very large and very small ones need long integers. */
export function formatCost(value: number, precision = 0): number {
  const magnitude = Math.abs(value);
  const isLong = magnitude > 1e15 || (magnitude !== 0 && magnitude < 1e-5);
  return 30 + 1.5 * Math.min(precision, MAX_DIGITS) + (isLong ? 250 : 0);
}

/** Formats `|value|` as C's `%f`, `%e` or, for another kind, `%g`. */
export function floatText(value: number, kind: string, how: { precision: number; keepZeros: boolean }): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : 'inf';
  if (kind === 'f') return fixedText(value, how.precision);
  return kind === 'e' ? exponentText(value, how.precision) : generalText(value, how.precision, how.keepZeros);
}

/** The digits of `|value|` with this many decimals: C's `%.2f`. */
export function fixedText(value: number, decimals: number): string {
  if (decimals > MAX_DIGITS) return fixedText(value, MAX_DIGITS) + '0'.repeat(decimals - MAX_DIGITS);
  const digits = String(scaledRound(value, decimals)).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Formats `|value|` with one digit before the point and a power of ten: C's `%.2e`. */
function exponentText(value: number, decimals: number): string {
  const { digits, power } = significant(value, decimals + 1);
  const sign = power < 0 ? '-' : '+';
  const mantissa = decimals === 0 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

function significant(value: number, count: number): { digits: string; power: number } {
  if (count > MAX_DIGITS) {
    const { digits, power } = significant(value, MAX_DIGITS);
    return { digits: digits.padEnd(count, '0'), power };
  }
  if (value === 0) return { digits: '0'.repeat(count), power: 0 };
  const power = Number(value.toExponential().split('e')[1]);
  const digits = String(scaledRound(value, count - 1 - power));
  return digits.length > count ? { digits: digits.slice(0, count), power: power + 1 } : { digits, power };
}

/** Formats `|value|` with this many significant digits, as decimals or with a power of ten: C's `%g`. */
export function generalText(value: number, digits: number, keepZeros: boolean): string {
  const count = Math.max(1, digits);
  const { power } = significant(value, count);
  const scientific = power < -4 || power >= count;
  const text = scientific ? exponentText(value, count - 1) : fixedText(value, count - 1 - power);
  if (keepZeros) return text;
  const [mantissa = '', exponent] = text.split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return exponent === undefined ? short : `${short}e${exponent}`;
}
