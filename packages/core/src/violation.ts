/** A place in a text file; both count from 1. */
export interface TextPosition {
  /** The line. */
  readonly line: number;
  /** The column within the line. */
  readonly column: number;
}

/** One mistake in a configuration: its path, the message, and the remedy. */
export interface Violation {
  /** When the reference tool would notice: on loading, on validating, or only in a run (or never). */
  readonly stage: 'load' | 'validate' | 'run';
  /** The kind of the mistake, such as `unknown_key`. */
  readonly type: string;
  /** `ERROR` if a run cannot start, else `WARNING`. */
  readonly level: 'ERROR' | 'WARNING';
  /** The column concerned, if any. */
  readonly column?: string;
  /** The path in the file or object, such as `data_designer.columns[1].prompt`. */
  readonly path: string;
  /** The file of the mistake, if it has been found there. */
  readonly file?: string;
  /** The place of its key in the file. */
  readonly position?: TextPosition;
  /** The place of the mistake within the text at the path, if it is known; `position` is then that place in the file, if this is exact. */
  readonly within?: TextPosition;
  /** The lines of the file around the place, with a mark under it. */
  readonly frame?: string;
  /** The mistake, in one sentence. */
  readonly message: string;
  /** What to do; empty if the message says it. */
  readonly remedy: string;
}

/** One line per violation, with the lines of the file if they are known. */
export function printViolations(violations: readonly Violation[]): string {
  return violations.map((violation) => printViolation(violation)).join('\n');
}

/** The parts of a mistake that are printed. */
type PrintedViolation = Pick<Violation, 'path' | 'file' | 'position' | 'frame' | 'message' | 'remedy'>;

/** One mistake: its place, the message, the remedy and the lines of the file. A mistake of the whole document has no path. */
export function printViolation(violation: PrintedViolation): string {
  const { path, file, position, frame, message, remedy } = violation;
  const place = file === undefined || position === undefined ? '' : `${printPlace(file, position)}: `;
  const told = `${place}${path === '' ? '' : `${path}: `}${message} ${remedy}`.trimEnd();
  return frame === undefined ? told : `${told}\n${frame}`;
}

/** A place in a file as compilers print it: `facts.yaml:12:5`. */
export function printPlace(file: string, { line, column }: TextPosition): string {
  return `${file}:${line}:${column}`;
}

/** The most similar of several names, for "did you mean"; undefined if none is similar. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A part of the name stays, so that an empty name or one of a letter is not near every other one.
  let bestDistance = Math.min(Math.max(2, Math.floor(name.length / 3)), Math.max(0, name.length - 1)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Remedy text for an unknown name: the nearest known one, else the list. */
export function knownNames(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== undefined) return `Did you mean '${near}'?`;
  return names.length === 0 ? 'None is declared.' : `Use one of: ${printNames(names)}.`;
}

/** The first of some names or numbers, and how many more there are: `a, b and 3 more`. */
export function printNames(names: readonly (string | number)[], most = MAX_LISTED): string {
  const others = names.length - most;
  return `${names.slice(0, most).join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

/** Describes the first given member that is not known, with the nearest one; undefined if all are known. */
export function unknownMember(given: readonly string[], members: readonly string[]): string | undefined {
  const unknown = given.find((name) => !members.includes(name));
  return unknown === undefined ? undefined : `unknown member '${unknown}'. ${knownNames(unknown, members)}`;
}

/** The longest list of names in a message. */
const MAX_LISTED = 30;

/** Levenshtein distance over one rolling row. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
