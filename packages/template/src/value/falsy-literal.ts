const ZERO = String.raw`0(?:_?0)*|0[xX](?:_?0)+|0[bB](?:_?0)+|0[oO](?:_?0)+`;
const EMPTY_STRING = String.raw`(?:[rRuUbB]{0,2}(?:''''''|""""""|''|""))`;
const EMPTY = String.raw`\(\s*\)|\[\s*\]|\{\s*\}|set\(\s*\)`;
const FALSY = new RegExp(String.raw`^(?:None|False|[+-]?(?:${ZERO})|${EMPTY_STRING}(?:\s*${EMPTY_STRING})*|${EMPTY})$`);
const FLOAT =
  /^[+-]?(?:\d+(?:_\d+)*\.(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*|\d+(?:_\d+)*(?=[eE]))(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** Whether text is a Python literal that counts as false, such as `0`, `False`, `None`, `[]` or `''`; blanks before it are not allowed. */
export function isFalsyLiteral(text: string): boolean {
  let literal = text.replace(/^\n+/, '').trimEnd();
  if (/^[ \t]/.test(literal)) return false;
  while (/^\(.*[^\s(].*\)$/s.test(literal)) literal = literal.slice(1, -1).trim();
  return FALSY.test(literal) || (FLOAT.test(literal) && Number(literal.replaceAll('_', '')) === 0);
}
