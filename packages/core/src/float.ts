/** A JSON number with all its digits (`JSON.rawJSON`). */
export const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

/** A float without a fraction, such as `1.0`, distinguished from the integer `1`. */
export class Float {
  /** The number. */
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  /** Returns the number, so that arithmetic works. */
  valueOf(): number {
    return this.value;
  }

  /** The text Python prints: `1.0`, `-0.0`, `1e+16`. */
  toString(): string {
    return printFloat(this.value);
  }

  /** Returns the number with its decimal point, for `JSON.stringify`. */
  toJSON(): unknown {
    return rawJson(printFloat(this.value));
  }
}

/** Prints a float as Python's `repr` does: shortest digits, a point or an exponent always, `nan` and `inf` by name. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e16 || magnitude < 1e-4) {
    const [digits = '', exponent = '+0'] = value.toExponential().split('e');
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}
