/** A pattern of a JSON Schema as it is meant: by Unicode rules, or without them if it breaks those. */
export function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}
