import {
  type ArrowField,
  type ArrowType,
  cellField,
  knownNames,
  messageFields,
  type Violation,
} from '@data-designer/core';
import {
  type AccessStep,
  hasAttribute,
  type MemberAccess,
  memberAccesses,
  type OrderedValue,
  orderings,
} from '@data-designer/template';
import { type Check, runError } from './check.ts';

type MemberFinding = Omit<Violation, 'column' | 'path'>;

/** An access that finds nothing in any row: at which step, and in which value. */
interface Miss {
  readonly at: number;
  readonly type: ArrowType;
  /** Whether it reads message content as the list of parts that the Python tool stores. */
  readonly isPart: boolean;
}

/**
 * Finds accesses to members that no value of a column has. An error if every render fails, or if the Python tool would
 * find a value; otherwise a warning, because the template prints nothing there. Text may hold JSON, so its members are
 * unknown.
 */
export function memberFindings(check: Check, tree: Parameters<typeof memberAccesses>[0]): readonly MemberFinding[] {
  const { typed } = check;
  const found = new Map<string, MemberFinding>();
  for (const access of memberAccesses(tree)) {
    const field = typed.get(access.column);
    const miss = field && (missOf(field, access.steps) ?? missOfText(check, field, access));
    if (!miss || (access.isOptional && !miss.isPart && isLast(miss, access))) continue;
    const finding = findingOf(access, miss);
    found.set(finding.message, finding);
  }
  for (const finding of orderFindings(typed, tree)) found.set(finding.message, finding);
  return [...found.values()];
}

/** An access to a member of a column whose listed values are texts, none of which is JSON. */
function missOfText({ config, registry }: Check, field: ArrowField, { column, steps }: MemberAccess): Miss | undefined {
  const [step] = steps;
  if (field.type !== 'utf8' || field.json === true || typeof step?.key !== 'string') return undefined;
  if (step.isAttribute && hasAttribute('text', step.key)) return undefined;
  const found = config.columns.find(({ name }) => name === column);
  const listed = found && registry.get(found.columnType)?.listed?.(found);
  const values = listed?.find(({ path }) => path.length === 0)?.values;
  const isPlain = values?.every((value) => typeof value === 'string' && !/^\s*[[{]/.test(value)) ?? false;
  return isPlain ? { at: 0, type: 'utf8', isPart: false } : undefined;
}

/** Objects and lists that are compared by order with another kind of value, which fails in every row. */
function orderFindings(typed: Check['typed'], tree: Parameters<typeof memberAccesses>[0]): readonly MemberFinding[] {
  return orderings(tree).flatMap(({ operator, left, right }) => {
    const [first, second] = [orderedValue(typed, left), orderedValue(typed, right)];
    const wrong =
      [first, second].find((one) => one?.kind === 'an object') ?? (first && second && listIn(first, second));
    if (!wrong?.read) return [];
    const message = `'${wrong.read}' is ${wrong.kind}, so that ${operator} fails in every row.`;
    return { ...runError('ordered_object', message, orderRemedy(wrong.read, wrong.type)), level: 'WARNING' };
  });
}

/** The kind of a value that is compared, with its type and how it is read. */
interface KnownValue {
  readonly kind: 'an object' | 'a list' | 'a number' | 'text';
  readonly read?: string;
  readonly type?: ArrowType;
}

/** A list that is compared with something else. */
function listIn(first: KnownValue, second: KnownValue): KnownValue | undefined {
  if (first.kind === second.kind) return undefined;
  return [first, second].find(({ kind }) => kind === 'a list');
}

/** Undefined for a value of unknown kind: a text may hold JSON. */
function orderedValue(typed: Check['typed'], value: OrderedValue): KnownValue | undefined {
  if (value === undefined) return undefined;
  if ('constant' in value) return { kind: value.constant === 'text' ? 'text' : 'a number' };
  const field = typed.get(value.column);
  const { type, json } = (field && typeAt(field, value.steps)) ?? {};
  if (type === undefined || json === true || type === 'utf8' || type === 'null') return undefined;
  const read = printAccess({ ...value, isAlways: true, isOptional: false, isNeeded: false }, value.steps.length);
  if (typeof type === 'string') return { kind: 'a number', read, type };
  if ('logical' in type) return undefined;
  return { kind: 'list' in type ? 'a list' : 'an object', read, type };
}

/** The type of the value behind some steps; undefined if it is unknown. */
function typeAt(field: ArrowField, steps: readonly AccessStep[]): Omit<ArrowField, 'name' | 'nullable'> | undefined {
  let found: Omit<ArrowField, 'name' | 'nullable'> = cellField(field);
  for (const step of steps) {
    const inner = found.json === true ? undefined : follow(found.type, step);
    if (inner === undefined || inner === 'missing') return undefined;
    found = inner;
  }
  return found;
}

function orderRemedy(read: string, type: ArrowType | undefined): string {
  if (typeof type !== 'object' || !('struct' in type)) return `Compare its length, as in ${read} | length >= 1.`;
  const numbers = type.struct.filter((member) => member.type === 'int64' || member.type === 'float64');
  const [first] = numbers.length > 0 ? numbers : type.struct;
  return `Compare one of its members, as in ${read}.${first?.name}.`;
}

function isLast({ at }: Miss, { steps }: MemberAccess): boolean {
  return at === steps.length - 1;
}

function findingOf(access: MemberAccess, miss: Miss): MemberFinding {
  const { isAlways, isNeeded } = access;
  const fails = isAlways && (isNeeded || !isLast(miss, access));
  const [read, whole] = [printAccess(access, miss.at + 1), printAccess(access, miss.at)];
  const { message, remedy } = miss.isPart ? partTold(whole) : memberTold(access, miss, { read, whole });
  return { ...runError('missing_member', message, remedy), level: fails || miss.isPart ? 'ERROR' : 'WARNING' };
}

function partTold(content: string): Pick<MemberFinding, 'message' | 'remedy'> {
  return {
    message: `'${content}' is text here, and not a list of parts as in the Python tool.`,
    remedy: `Write ${content} for the text; ${content}_parts lists the parts of a message with several.`,
  };
}

function memberTold(
  { steps }: MemberAccess,
  { at, type }: Miss,
  { read, whole }: { readonly read: string; readonly whole: string },
): Pick<MemberFinding, 'message' | 'remedy'> {
  if (typeof type === 'string') {
    const remedy = `Write ${whole}, or read another column.`;
    return { message: `'${read}' has no value in any row: '${whole}' is ${SCALARS[type]}.`, remedy };
  }
  if ('list' in type) {
    const message = `'${read}' has no value in any row: '${whole}' is a list.`;
    return { message, remedy: `Write an index, as in ${whole}[0], or a loop.` };
  }
  const names = 'struct' in type ? type.struct.map(({ name }) => name) : [];
  const message = `'${read}' has no value in any row: '${whole}' has no such member.`;
  return { message, remedy: knownNames(String(steps[at]?.key), names) };
}

const SCALARS = { bool: 'true or false', int64: 'a number', float64: 'a number', utf8: 'text', null: 'null' } as const;

/** Follows the steps as far as the types are known. */
function missOf(field: ArrowField, steps: readonly AccessStep[]): Miss | undefined {
  let { type, json = false } = cellField(field);
  for (const [at, step] of steps.entries()) {
    const inner = json ? undefined : follow(type, step);
    if (inner === undefined) return undefined;
    if (inner === 'missing') return { at, type, isPart: false };
    if (isContent(type, step) && isPart(steps.slice(at + 1))) return { at: at + 1, type: 'utf8', isPart: true };
    ({ type, json = false } = inner);
  }
  return undefined;
}

/** The value at a step; undefined if it is unknown, which includes methods. */
function follow(
  type: ArrowType,
  { key, isAttribute }: AccessStep,
): Omit<ArrowField, 'name' | 'nullable'> | 'missing' | undefined {
  if (type === 'utf8') return undefined;
  const kind = typeof type === 'string' ? 'number' : 'list' in type ? 'list' : 'map';
  const member =
    typeof type !== 'string' && 'struct' in type ? type.struct.find(({ name }) => name === key) : undefined;
  // A method wins over a member of the same name in `a.b` only.
  if (isAttribute || member === undefined) {
    if (typeof key === 'string' && hasAttribute(kind, key)) return undefined;
  }
  if (member) return member;
  if (typeof type === 'string' || !('list' in type)) return 'missing';
  return typeof key === 'string' || key === null ? 'missing' : { type: type.list };
}

/** Whether a step reads the content of a recorded message. */
function isContent(type: ArrowType, { key }: AccessStep): boolean {
  return key === 'content' && messageFields({ list: type }) !== undefined;
}

/** The keys of content parts in the Python tool. */
const PART_KEYS: ReadonlySet<unknown> = new Set(['type', 'text', 'image_url', 'input_audio', 'video_url']);

/** Whether steps read a key of one of several parts. */
function isPart([index, key]: readonly AccessStep[]): boolean {
  return typeof index?.key === 'number' && PART_KEYS.has(key?.key);
}

/** The first steps of an access, as in a template. */
function printAccess({ column, steps }: MemberAccess, count: number): string {
  return column + steps.slice(0, count).map(printStep).join('');
}

function printStep({ key, isAttribute }: AccessStep): string {
  if (isAttribute) return `.${String(key)}`;
  return typeof key === 'string' ? `['${key}']` : `[${String(key)}]`;
}
