/** Words that begin a line, or follow a statement on it, without being a statement of their own. */
const CONTINUATIONS = new Set(['Else', 'Except', 'Finally', 'Case']);
/** Words of compound statements: another statement may follow the colon on the same line. */
const HEADERS = new Set([...CONTINUATIONS, ...'If Elif While For With Try Match Def Class Async'.split(' ')]);
const OPENING = new Set(['Lpar', 'Lsqb', 'Lbrace']);
const CLOSING = new Set(['Rpar', 'Rsqb', 'Rbrace']);
/** Tokens between statements. */
const SPACING = new Set(['NonLogicalNewline', 'Comment', 'Indent', 'Dedent']);

/** A token as ruff prints it: its kind first, one per line. */
const TOKEN = /^ {4}(\w+)/gm;

/**
 * Counts the statements of Python code as Python's syntax tree has them, nested ones too (`elif` counts, `else` does
 * not), from ruff's tokens, which cost a fortieth of its tree.
 */
export function countStatements(tokens: string): number {
  let statements = 0;
  let depth = 0;
  let lambdas = 0;
  let begins = true;
  let isHeader = false;
  for (const [, kind = ''] of tokens.matchAll(TOKEN)) {
    if (SPACING.has(kind)) continue;
    if (kind === 'Newline' || kind === 'Semi') {
      begins = true;
      isHeader = false;
      continue;
    }
    if (begins) {
      // A decorator belongs to the statement below it.
      if (!CONTINUATIONS.has(kind) && kind !== 'At') statements++;
      begins = false;
      isHeader = HEADERS.has(kind);
      lambdas = 0;
    }
    if (OPENING.has(kind)) depth++;
    else if (CLOSING.has(kind)) depth--;
    else if (depth > 0) continue;
    else if (kind === 'Lambda') lambdas++;
    else if (kind === 'Colon' && lambdas > 0) lambdas--;
    else if (kind === 'Colon' && isHeader) begins = true;
  }
  return statements;
}
