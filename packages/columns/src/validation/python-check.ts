import { type CellValue, field, Float } from '@data-designer/core';
import { type CodeCheck, type CodeVerdict, MAX_CHARACTERS } from './code-check.ts';
import { countStatements } from './count-statements.ts';
import { type RuffDiagnostic, withRuff } from './ruff.ts';

/** From the worst down (config.md 6.1). */
const SEVERITIES = ['fatal', 'error', 'warning', 'convention', 'refactor'] as const;
type Severity = (typeof SEVERITIES)[number];

/** The severity by the letters of the rule; other rules are warnings. */
const SEVERITY_OF: Readonly<Record<string, Severity>> = {
  E: 'refactor',
  F: 'error',
  SIM: 'refactor',
  PLC: 'convention',
  PLE: 'error',
  PLR: 'refactor',
  PLW: 'warning',
};

/** The rule of code that does not parse. */
const SYNTAX = 'invalid-syntax';

/** A cell keeps this many messages, the worst first; the score counts all. */
const MOST_MESSAGES = 1000;

interface Message extends Readonly<Record<string, CellValue>> {
  readonly type: Severity;
  readonly symbol: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

const MESSAGE = {
  struct: [
    field('type', 'utf8'),
    field('symbol', 'utf8'),
    field('line', 'int64'),
    field('column', 'int64'),
    field('message', 'utf8'),
  ],
} as const;

/** Judges Python with ruff: a score from 0 to 10, the worst severity, and the messages, the worst first. */
export const pythonCheck: CodeCheck = {
  fields: [
    field('is_valid', 'bool'),
    field('python_linter_score', 'float64'),
    field('python_linter_severity', 'utf8'),
    field('python_linter_messages', { list: MESSAGE }),
  ],
  open: () => Promise.resolve(checkPython),
  unjudged: (reason) => ({
    is_valid: null,
    python_linter_score: null,
    python_linter_severity: null,
    python_linter_messages: reason === undefined ? [] : [unplaced('not-checked', 'warning', reason)],
  }),
};

/** The verdict on a text; code that crashes ruff is not valid. */
function checkPython(code: string): CodeVerdict {
  if (code.length > MAX_CHARACTERS) {
    return pythonCheck.unjudged(`the code is longer than the ${MAX_CHARACTERS} characters that are checked`);
  }
  try {
    return withRuff((ruff) => {
      const messages = ruff.check(code).map(messageOf);
      const isParsable = !messages.some(({ type }) => type === 'fatal');
      return verdictOn(messages, isParsable ? countStatements(ruff.tokens(code)) : 0);
    });
  } catch (thrown) {
    const reason = thrown instanceof RangeError ? 'it is nested too deeply' : String(thrown);
    return verdictOn([unplaced('checker-failed', 'fatal', `the code cannot be checked: ${reason}`)], 0);
  }
}

function messageOf({ code, message, start_location: { row, column } }: RuffDiagnostic): Message {
  const symbol = code ?? SYNTAX;
  const type = symbol === SYNTAX ? 'fatal' : (SEVERITY_OF[symbol.replace(/\d.*/s, '')] ?? 'warning');
  return { type, symbol, line: row, column, message };
}

function unplaced(symbol: string, type: Severity, message: string): Message {
  return { type, symbol, line: null, column: null, message };
}

function verdictOn(messages: readonly Message[], statements: number): CodeVerdict {
  const counts: Record<Severity, number> = { fatal: 0, error: 0, warning: 0, convention: 0, refactor: 0 };
  for (const { type } of messages) counts[type]++;
  const worst = SEVERITIES.find((severity) => counts[severity] > 0);
  return {
    is_valid: counts.fatal + counts.error === 0,
    python_linter_score: new Float(scoreOf(counts, statements)),
    python_linter_severity: worst ?? 'none',
    python_linter_messages: messages.toSorted(byGravity).slice(0, MOST_MESSAGES),
  };
}

/** pylint's score, as NeMo Data Designer reports it, but never below 0. */
function scoreOf(
  { fatal, error, warning, convention, refactor }: Readonly<Record<Severity, number>>,
  statements: number,
) {
  if (fatal > 0) return 0;
  return Math.max(0, 10 - (10 * (5 * error + warning + refactor + convention)) / Math.max(1, statements));
}

function byGravity(a: Message, b: Message): number {
  return SEVERITIES.indexOf(a.type) - SEVERITIES.indexOf(b.type) || (a.line ?? 0) - (b.line ?? 0);
}
