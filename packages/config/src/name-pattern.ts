/** Whether a name in a drop list is a pattern: it contains `*`. */
export function isPattern(text: string): boolean {
  return text.includes('*');
}

/** Whether a name matches an entry of a drop list: exactly, or as a shell pattern (`* ? [..] [!..]`) if it has a `*`. */
export function matchesPattern(name: string, entry: string): boolean {
  return isPattern(entry) ? compiled(entry)(name) : name === entry;
}

const patterns = new Map<string, (name: string) => boolean>();
const MAX_PATTERNS = 10_000;

/** Caches the patterns: one is matched against many names. */
function compiled(entry: string): (name: string) => boolean {
  const known = patterns.get(entry) ?? shellPattern(entry);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(entry, known);
  return known;
}

/** One step of a pattern: any run of parts, such as the characters of a name, or a test of one part. */
export type Step = 'any' | ((part: string) => boolean);

/** Compiles a shell pattern that matches a whole name in time bounded by the product of both lengths. */
export function shellPattern(pattern: string): (name: string) => boolean {
  const steps = stepsOf(Array.from(pattern));
  return (name) => matchesSteps(steps, Array.from(name));
}

function stepsOf(characters: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const end = character === '[' ? setEnd(characters, at) : -1;
    if (character === '*') steps.push('any');
    else if (character === '?') steps.push(() => true);
    else if (end === -1) steps.push((other) => other === character);
    else {
      steps.push(setOf(characters.slice(at + 1, end)));
      at = end;
    }
  }
  return steps;
}

/** The end of a set, -1 if it has none; a bracket at its beginning is a member. */
function setEnd(characters: readonly string[], start: number): number {
  const first = characters[start + 1] === '!' ? start + 2 : start + 1;
  return characters.indexOf(']', first + 1);
}

/** A set of characters and ranges; a reversed range is empty. */
function setOf(members: readonly string[]): (character: string) => boolean {
  const negated = members[0] === '!';
  const listed = negated ? members.slice(1) : members;
  const passes: ((character: string) => boolean)[] = [];
  for (let at = 0; at < listed.length; at++) {
    const low = listed[at] ?? '';
    const high = listed[at + 1] === '-' ? listed[at + 2] : undefined;
    if (high === undefined) passes.push((character) => character === low);
    else {
      passes.push((character) => character >= low && character <= high);
      at += 2;
    }
  }
  return (character) => passes.some((one) => one(character)) !== negated;
}

/** Whether parts match steps; backtracks to the last `any` only, as earlier ones need no further attempt. */
export function matchesSteps(steps: readonly Step[], parts: readonly string[]): boolean {
  let step = 0;
  let at = 0;
  let many: { readonly step: number; at: number } | undefined;
  while (at < parts.length) {
    const current = steps[step];
    if (current === 'any') many = { step: ++step, at };
    else if (current?.(parts[at] ?? '')) [step, at] = [step + 1, at + 1];
    else if (many) [step, at] = [many.step, ++many.at];
    else return false;
  }
  return steps.slice(step).every((left) => left === 'any');
}
