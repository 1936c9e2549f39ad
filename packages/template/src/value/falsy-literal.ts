const ZERO = /^[+-]?(?:0(?:_?0)*|0[xX](?:_?0)+|0[bB](?:_?0)+|0[oO](?:_?0)+)$/;
const EMPTY = /^(?:None|False|\(\s*\)|\[\s*\]|\{\s*\}|set\(\s*\))$/;
/** Empty strings one after the other; three pairs of quotes are also one string in triple quotes. */
const EMPTY_STRINGS = /^(?:[rRuUbB]{0,2}(?:''|"")\s*)+$/;
const FLOAT =
  /^[+-]?(?:\d+(?:_\d+)*\.(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*|\d+(?:_\d+)*(?=[eE]))(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** Python gives up where parentheses are nested deeper. */
const MAX_PARENTHESES = 200;

/**
 * Whether text is a Python literal that counts as false, such as `0`, `False`, `None`, `[]` or `''`, in time that grows
 * with its length; blanks before it are not allowed.
 */
export function isFalsyLiteral(text: string): boolean {
  const outer = text.replace(/^\n+/, '').trimEnd();
  if (/^[ \t]/.test(outer)) return false;
  const literal = withoutParentheses(outer);
  if (EMPTY.test(literal) || ZERO.test(literal) || EMPTY_STRINGS.test(literal)) return true;
  return FLOAT.test(literal) && Number(literal.replaceAll('_', '')) === 0;
}

/** What stands within parentheses that hold something. */
function withoutParentheses(outer: string): string {
  let literal = outer;
  for (let depth = 0; depth < MAX_PARENTHESES; depth++) {
    if (!literal.startsWith('(') || !literal.endsWith(')') || literal.length < 2) return literal;
    const inner = literal.slice(1, -1).trim();
    if (inner === '') return literal;
    literal = inner;
  }
  return literal;
}
