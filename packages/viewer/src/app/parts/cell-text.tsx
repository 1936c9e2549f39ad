import type { ReactNode } from 'react';
import type { Cell, MarkedCell } from '../../api/cells.ts';
import type { ColumnInfo } from '../../api/columns.ts';
import { formatCount, formatFigure, pluralize } from '../format.ts';
import { visibleText } from '../visible-text.ts';

const SHOWN_DIGITS = 8;

interface CellTextProps {
  readonly cell: Cell;
  /** How the values of its column are shown. */
  readonly shown?: ColumnInfo['shown'];
}

/** A cell on one line. */
export function CellText({ cell, shown }: CellTextProps): ReactNode {
  if (shown === 'scores') return scoresLine(cell) ?? <CellText cell={cell} />;
  if (cell === null) return <span className="quiet">null</span>;
  if (typeof cell === 'string') return cell === '' ? <span className="quiet">(empty)</span> : visibleText(cell);
  if (typeof cell === 'number') return <span title={String(cell)}>{shortNumber(cell)}</span>;
  if (typeof cell !== 'object') return String(cell);
  if (cell.as === 'number') return <span title={cell.text}>{shortDigits(cell.text)}</span>;
  if (cell.as === 'conversation') {
    const calls = cell.toolCalls === 0 ? '' : `, ${pluralize(cell.toolCalls, 'tool call')}`;
    return (
      <>
        <span className="quiet">
          {pluralize(cell.messages, 'message')}
          {calls}:{' '}
        </span>
        {visibleText(cell.last)}
      </>
    );
  }
  return lineOf(cell);
}

/** A number with as many digits as a narrow column shows, and never cut; the record has all of them. */
function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value)) return shortDigits(String(value));
  if (size < 1e-3 || size > 1e12) return formatFigure(value);
  return String(Number(value.toPrecision(SHOWN_DIGITS)));
}

const MOST_CHARACTERS = 17;

function shortDigits(text: string): string {
  return text.length > MOST_CHARACTERS ? formatFigure(Number(text)) : text;
}

/** The scores of a judge on one line, such as `Clarity 3, Tone flat`; undefined for other values. */
function scoresLine(cell: Cell): string | undefined {
  if (typeof cell !== 'object' || cell?.as !== 'struct') return undefined;
  const scores = cell.members.map(([name, judged]) => {
    if (typeof judged !== 'object' || judged?.as !== 'struct') return undefined;
    const score = judged.members.find(([member]) => member === 'score');
    return score && `${visibleText(name)} ${lineOf(score[1])}`;
  });
  return scores.includes(undefined) ? undefined : scores.join(', ');
}

/** A cell as plain text on one line, as JSON where it is nested. */
export function lineOf(cell: Cell): string {
  if (typeof cell !== 'object' || cell === null) return visibleText(typeof cell === 'string' ? cell : String(cell));
  return markedLine(cell);
}

function markedLine(cell: MarkedCell): string {
  switch (cell.as) {
    case 'text':
      return `${visibleText(cell.text)}… (${formatCount(cell.length)} characters)`;
    case 'number':
      return cell.text;
    case 'list':
      return `[${[...cell.items.map(innerLine), ...rest(cell.length - cell.items.length)].join(', ')}]`;
    case 'struct': {
      const members = cell.members.map(([name, value]) => `${visibleText(name)}: ${innerLine(value)}`);
      return `{${[...members, ...rest(cell.length - cell.members.length)].join(', ')}}`;
    }
    case 'vector':
      return `[${cell.first.join(', ')}, … ${formatCount(cell.length)} numbers]`;
    case 'conversation':
      return pluralize(cell.messages, 'message');
    case 'binary':
      return pluralize(cell.bytes, 'byte');
    case 'more':
      return '…';
  }
}

function innerLine(cell: Cell): string {
  return typeof cell === 'string' ? JSON.stringify(visibleText(cell)) : lineOf(cell);
}

function rest(count: number): string[] {
  return count > 0 ? [`… ${formatCount(count)} more`] : [];
}
