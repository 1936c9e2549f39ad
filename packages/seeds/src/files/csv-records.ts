/** A delimiter, quote and escape of a CSV file. */
export interface CsvSigns {
  readonly delimiter: string;
  readonly quote: string;
  readonly escape: string;
}

/** A record of a CSV file: its cells, and the number of its first line, from 1. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The records of a text, and the line of the first misplaced quote. */
export interface CsvRecords {
  readonly records: readonly CsvRecord[];
  readonly faultLine: number | undefined;
}

/** Splits a text into records; leaves out empty lines, and the last record unless the text is whole. */
export function csvRecords(text: string, signs: CsvSigns, isWhole: boolean): CsvRecords {
  const records: CsvRecord[] = [];
  const scan: Scan = { text, signs, at: 0, line: 1, faultLine: undefined };
  while (scan.at < text.length) {
    const { line } = scan;
    const cells = readRecord(scan);
    const isLast = scan.at >= text.length;
    if (isLast && !isWhole) break;
    if (cells.length > 1 || cells[0] !== '') records.push({ cells, line });
  }
  return { records, faultLine: scan.faultLine };
}

interface Scan {
  readonly text: string;
  readonly signs: CsvSigns;
  at: number;
  line: number;
  faultLine: number | undefined;
}

function readRecord(scan: Scan): string[] {
  const cells: string[] = [];
  for (;;) {
    const isQuoted = scan.text[scan.at] === scan.signs.quote;
    cells.push(isQuoted ? readQuoted(scan) : readBare(scan));
    if (!scan.text.startsWith(scan.signs.delimiter, scan.at) || scan.at >= scan.text.length) break;
    scan.at += scan.signs.delimiter.length;
  }
  if (scan.text[scan.at] === '\r') scan.at++;
  if (scan.text[scan.at] === '\n') scan.at++;
  scan.line++;
  return cells;
}

function readBare(scan: Scan): string {
  const start = scan.at;
  const { text } = scan;
  const { delimiter } = scan.signs;
  while (scan.at < text.length && text[scan.at] !== '\n' && text[scan.at] !== '\r') {
    if (text.startsWith(delimiter, scan.at)) break;
    scan.at++;
  }
  return text.slice(start, scan.at);
}

function readQuoted(scan: Scan): string {
  const { text } = scan;
  const { quote, escape } = scan.signs;
  const begun = scan.line;
  let cell = '';
  for (scan.at++; scan.at < text.length; scan.at++) {
    const sign = text[scan.at] ?? '';
    const next = text[scan.at + 1] ?? '';
    if (sign === escape && (next === quote || (escape !== quote && next === escape))) cell += text[++scan.at] ?? '';
    else if (sign === quote) {
      scan.at++;
      const rest = readBare(scan);
      if (rest.trim() !== '') scan.faultLine ??= begun;
      return cell + rest;
    } else {
      if (sign === '\n') scan.line++;
      cell += sign;
    }
  }
  scan.faultLine ??= begun;
  return cell;
}
