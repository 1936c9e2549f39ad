import { field } from '@data-designer/core';
import { type CodeCheck, type CodeVerdict, MAX_CHARACTERS } from './code-check.ts';
import { type SqlDialect, loadSqlParser } from './sql-parsers.ts';

/** sqlfluff's code for SQL that does not parse. */
const UNPARSABLE = 'PRS';

/** As NeMo Data Designer matches it: a precision without a scale. */
const DECIMAL = /DECIMAL\(\d+\)/;
const DECIMAL_MESSAGE = 'DECIMAL with a precision and no scale keeps no digits after the point, which is rarely meant.';

/** Judges SQL of one dialect: it must parse and have no decimals without a scale. */
export function sqlCheck(dialect: SqlDialect): CodeCheck {
  return {
    fields: [field('is_valid', 'bool'), field('error_messages', 'utf8')],
    open: async () => {
      const parse = await loadSqlParser(dialect);
      return (sql) => (sql.length > MAX_CHARACTERS ? tooLong() : verdictOn(sql, parse(sql)));
    },
    unjudged,
  };
}

function verdictOn(sql: string, fault: string | undefined): CodeVerdict {
  const messages = fault === undefined ? [] : [`${UNPARSABLE}: ${fault}`];
  if (DECIMAL.test(sql)) messages.push(DECIMAL_MESSAGE);
  return { is_valid: messages.length === 0, error_messages: messages.join('\n') };
}

function unjudged(reason?: string): CodeVerdict {
  return { is_valid: null, error_messages: reason ?? null };
}

function tooLong(): CodeVerdict {
  return unjudged(`the code is longer than the ${MAX_CHARACTERS} characters that are checked`);
}
