import { type CsvRecord, csvRecords, type CsvSigns } from './csv-records.ts';

/** How the cells of a CSV file are written. */
export interface CsvDialect extends CsvSigns {
  /** The lines before the names or the first row. */
  readonly skip: number;
  readonly hasHeader: boolean;
  /** The names of the columns as written; generated without a header. */
  readonly names: readonly string[];
  /** The generated names of columns that the header leaves empty. */
  readonly unnamed: readonly string[];
}

/** Why a CSV file has no certain reading, and the line that shows it. */
export interface CsvDoubt {
  readonly line: number;
  readonly reason: string;
  readonly remedy: string;
}

/** What is known of a file before its content. */
export interface DialectHints {
  readonly delimiter?: string | undefined;
  readonly header?: boolean | undefined;
  /** Whether the text is the whole file. */
  readonly isWhole: boolean;
}

const NO_TEXT: CsvDoubt = {
  line: 1,
  reason: 'it contains the character NUL, so it is not text or has another encoding',
  remedy: "For UTF-16 without a byte order mark, set 'encoding' in the seed's source to utf-16 or utf-16be.",
};

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAID: Readonly<Record<string, string>> = { '\t': 'tab' };
/** The kinds of cells that are values rather than names. */
const KINDS = {
  number: /^\s*[-+]?[\d.,]*\d[\d.,]*(?:e[-+]?\d+)?\s*$/i,
  date: /^\s*\d{4}-\d\d-\d\d.*$/,
  truth: /^\s*(?:true|false)\s*$/i,
} as const;
const WHOLE = /^\d+$/;

/** The dialect of a file by its first text, or why it is in doubt. */
export function csvDialect(text: string, hints: DialectHints): CsvDialect | CsvDoubt {
  if (text.slice(0, 1024).includes('\0') && /\0/.test(text.split('\n', 1)[0] ?? '')) return NO_TEXT;
  const declared = /^sep=(.)\r?\n/i.exec(text)?.[1];
  const start = declared === undefined ? 0 : 1;
  const body = skipLines(text, start);
  const preamble = preambleLines(body);
  const rest = skipLines(body, preamble);
  const skip = start + preamble;
  const wanted = hints.delimiter ?? declared;
  const read = candidates(rest, wanted, hints.isWhole);
  const chosen = chooseReading(read, wanted, skip);
  return 'reason' in chosen ? chosen : withHeader(chosen, { skip, header: hints.header });
}

/** How a delimiter is named in messages. */
function sayDelimiter(delimiter: string): string {
  return SAID[delimiter] ?? `'${delimiter}'`;
}

function skipLines(text: string, lines: number): string {
  let at = 0;
  for (let line = 0; line < lines; line++) {
    const end = text.indexOf('\n', at);
    if (end < 0) return '';
    at = end + 1;
  }
  return text.slice(at);
}

/** The comments and empty lines before the names; the last line with `#` holds them if it has as many cells as the next. */
function preambleLines(text: string): number {
  const lines = text.slice(0, 64 * 1024).split('\n');
  let count = 0;
  while (count < lines.length - 1 && /^(?:#.*)?\r?$/.test(lines[count] ?? '')) count++;
  const [last = '', next = ''] = [lines[count - 1], lines[count]];
  const isNames = DELIMITERS.some((sign) => {
    const cells = last.split(sign).length;
    return cells > 1 && cells === next.split(sign).length;
  });
  return isNames && last.startsWith('#') ? count - 1 : count;
}

interface Reading {
  readonly signs: CsvSigns;
  readonly records: readonly CsvRecord[];
  readonly faultLine: number | undefined;
  readonly width: number;
  /** The part of the records that are as wide as the first. */
  readonly agreement: number;
}

function candidates(text: string, wanted: string | undefined, isWhole: boolean): Reading[] {
  return (wanted === undefined ? DELIMITERS : [wanted]).map((delimiter) => readWith(text, delimiter, isWhole));
}

/** Reads with double quotes; with backslashes or single quotes only if that leaves no misplaced quote. */
function readWith(text: string, delimiter: string, isWhole: boolean): Reading {
  const first = reading(text, { delimiter, quote: '"', escape: '"' }, isWhole);
  const other = text.includes('"') ? { quote: '"', escape: '\\' } : { quote: "'", escape: "'" };
  if (text.includes('"') ? first.faultLine === undefined || !text.includes('\\"') : !text.includes("'")) return first;
  const second = reading(text, { delimiter, ...other }, isWhole);
  return second.faultLine === undefined && second.agreement >= first.agreement ? second : first;
}

function reading(text: string, signs: CsvSigns, isWhole: boolean): Reading {
  const { records, faultLine } = csvRecords(text, signs, isWhole);
  const width = records[0]?.cells.length ?? 0;
  const same = records.filter(({ cells }) => cells.length === width).length;
  return { signs, records, faultLine, width, agreement: records.length === 0 ? 0 : same / records.length };
}

function chooseReading(readings: readonly Reading[], wanted: string | undefined, skip: number): Reading | CsvDoubt {
  const [only] = readings;
  if (wanted !== undefined && only) return only;
  const split = readings.filter(({ width }) => width > 1).toSorted(byFit);
  const [best, next] = split;
  if (!best) return oneColumn(readings, skip);
  if (!next || byFit(best, next) !== 0) return best;
  const signs = [best, next].map(({ signs: { delimiter } }) => sayDelimiter(delimiter));
  return doubt(skip + 1, `its cells may be separated by ${signs.join(' or ')}`, DELIMITER_REMEDY);
}

const DELIMITER_REMEDY = "Set 'delimiter' in the seed's source.";

function byFit(one: Reading, other: Reading): number {
  return other.agreement - one.agreement || other.width - one.width;
}

/** One column, unless every row splits into as many cells. */
function oneColumn(readings: readonly Reading[], skip: number): Reading | CsvDoubt {
  const [first] = readings;
  const splitting = readings.find(({ records }) => {
    const widths = new Set(records.slice(1).map(({ cells }) => cells.length));
    return widths.size === 1 && !widths.has(1);
  });
  if (!splitting) return first ?? doubt(1, 'it has no delimiter', DELIMITER_REMEDY);
  const second = splitting.records[1];
  const cells = `${second?.cells.length ?? 0} cells separated by ${sayDelimiter(splitting.signs.delimiter)}`;
  return doubt(
    skip + (second?.line ?? 1),
    `this line has ${cells}, but the names before it are one cell`,
    `Remove lines before the names, or set 'delimiter': to the sign that separates cells, or to one that the file lacks if it has one column.`,
  );
}

function doubt(line: number, reason: string, remedy: string): CsvDoubt {
  return { line, reason, remedy };
}

/** The names in the first record; a first record that looks like the others is in doubt. */
function withHeader(
  { signs, records }: Reading,
  { skip, header }: { readonly skip: number; readonly header: boolean | undefined },
): CsvDialect | CsvDoubt {
  const [first = { cells: [], line: 1 }, ...rest] = records;
  const hasHeader = header ?? isHeader(first, rest);
  if (hasHeader === undefined) {
    const reason = 'it may hold the names of the columns or a row';
    return doubt(skip + first.line, reason, "Set 'header' in the seed's source to true for names, to false for a row.");
  }
  const names = first.cells.map((cell, index) => (hasHeader ? cell.trim() : '') || `column${index}`);
  const unnamed = hasHeader ? names.filter((_, index) => first.cells[index]?.trim() === '') : [];
  return { ...signs, skip: skip + first.line - 1, hasHeader, names, unnamed };
}

/** Whether a record holds names: undefined if it may as well be a row. */
function isHeader({ cells }: CsvRecord, rest: readonly CsvRecord[]): boolean | undefined {
  const kinds = cells.map(kindOf);
  if (kinds.every((kind) => kind === undefined)) return true;
  if (rest.length === 0) return undefined;
  const isOdd = cells.some((cell, index) => {
    const below = rest.map((record) => record.cells[index] ?? '').filter((other) => other.trim() !== '');
    const found = new Set(below.map(kindOf));
    // Such as a name above numbers, or a date above numbers.
    return cell !== '' && found.size > 0 && !found.has(kinds[index]);
  });
  if (isOdd) return true;
  const isName = cells.every((cell, index) => cell !== '' && (kinds[index] === undefined || WHOLE.test(cell)));
  return isName && new Set(cells).size === cells.length ? undefined : false;
}

/** The kind of a cell; undefined for text. */
function kindOf(cell: string): keyof typeof KINDS | undefined {
  if (KINDS.number.test(cell)) return 'number';
  if (KINDS.date.test(cell)) return 'date';
  return KINDS.truth.test(cell) ? 'truth' : undefined;
}
