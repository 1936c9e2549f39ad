import type { Cell } from '../../../api/cells.ts';
import type { ColumnInfo } from '../../../api/columns.ts';
import { lineOf } from '../../parts/cell-text.tsx';
import { differenceOf, signed } from './dataset-deltas.tsx';

/** A part of a cell that differs. */
export interface ChangedPart {
  /** The column with the path of the part within it, such as `grade.Tone`. */
  readonly name: string;
  readonly left: PartText;
  readonly right: PartText;
  /** The difference in words; empty where it is in the texts alone. */
  readonly difference: string;
}

/** One side of a part. */
interface PartText {
  readonly text: string;
  /** The score of a judge, whose reason is the text. */
  readonly score?: string;
}

type Sides = readonly [left: Cell | undefined, right: Cell | undefined];

/** The parts of a cell that differ: scores one by one, members of structs by their paths, and other values as a whole. */
export function changedParts(
  { name, shown }: Pick<ColumnInfo, 'name' | 'shown'>,
  sides: Sides,
): readonly ChangedPart[] {
  const parts = shown === 'scores' ? scoreParts(name, sides) : leafParts(name, sides);
  if (parts.length > 0) return parts;
  const [left, right] = sides;
  return [{ name, left: textOf(left), right: textOf(right), difference: 'differs behind what is shown' }];
}

function scoreParts(column: string, sides: Sides): readonly ChangedPart[] {
  return pairedMembers(sides).flatMap(([member, ...judged]) => {
    const name = `${column}.${member}`;
    if (isSame(judged)) return [];
    const [before, after] = judged.map((one) => scoreOf(one));
    if (before === undefined && after === undefined) return leafParts(name, judged);
    const [one, other] = [numberOf(before?.value), numberOf(after?.value)];
    const difference =
      one === undefined || other === undefined || one === other ? '' : signed(differenceOf(one, other));
    return [{ name, left: judgedText(before), right: judgedText(after), difference }];
  });
}

interface Judged {
  readonly value: Cell;
  readonly reasoning: Cell | undefined;
}

function scoreOf(cell: Cell | undefined): Judged | undefined {
  const members = new Map(membersOf(cell));
  const value = members.get('score');
  return value === undefined ? undefined : { value, reasoning: members.get('reasoning') };
}

function judgedText(judged: Judged | undefined): PartText {
  if (judged === undefined) return { text: '', score: 'null' };
  return { score: lineOf(judged.value), text: judged.reasoning === undefined ? '' : textOf(judged.reasoning).text };
}

function leafParts(name: string, sides: Sides): readonly ChangedPart[] {
  if (isSame(sides)) return [];
  const [left, right] = sides;
  if (!isStruct(left) || !isStruct(right)) {
    return [{ name, left: textOf(left), right: textOf(right), difference: differenceIn(sides) }];
  }
  return pairedMembers(sides).flatMap(([member, ...own]) => leafParts(`${name}.${member}`, own));
}

function pairedMembers([left, right]: Sides): readonly (readonly [name: string, ...Sides])[] {
  const [ours, theirs] = [new Map(membersOf(left)), new Map(membersOf(right))];
  return [...new Set([...ours.keys(), ...theirs.keys()])].map((name) => [name, ours.get(name), theirs.get(name)]);
}

function isStruct(cell: Cell | undefined): cell is Extract<Cell, { readonly as: 'struct' }> {
  return typeof cell === 'object' && cell?.as === 'struct';
}

function membersOf(cell: Cell | undefined): readonly (readonly [string, Cell])[] {
  return isStruct(cell) ? cell.members : [];
}

function isSame([left, right]: Sides): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}

/** The difference of two numbers, or of the lengths of two texts. */
function differenceIn([left, right]: Sides): string {
  if (typeof left === 'number' && typeof right === 'number') return signed(differenceOf(left, right));
  const [one, other] = [lengthOf(left), lengthOf(right)];
  if (one === undefined || other === undefined) return '';
  return one === other ? 'same length' : `${signed(other - one)} characters`;
}

/** A number, also one in the text of a score. */
function numberOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'number') return cell;
  return typeof cell === 'string' && /^-?\d+(?:\.\d+)?$/.test(cell.trim()) ? Number(cell) : undefined;
}

/** The characters of a text, also of one that is cut. */
function lengthOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === 'string') return cell.length;
  return typeof cell === 'object' && cell?.as === 'text' ? cell.length : undefined;
}

function textOf(cell: Cell | undefined): PartText {
  return { text: typeof cell === 'string' ? cell : lineOf(cell ?? null) };
}
