const SPECIAL = /[\\^$.*+?()[\]{}|]/g;
const escaped = (text: string): string => text.replace(SPECIAL, String.raw`\$&`);

/** Whether a name of a drop list stands for many: with a `*` in it. */
export function isPattern(text: string): boolean {
  return text.includes('*');
}

/** Whether a name matches an entry of a drop list: exactly, or as a shell pattern (`* ? [..] [!..]`) if it has a `*`. */
export function matchesPattern(name: string, entry: string): boolean {
  return isPattern(entry) ? shellPattern(entry).test(name) : name === entry;
}

/** A shell pattern as a regular expression over a whole name; a set that cannot be, as `[z-a]`, matches nothing. */
export function shellPattern(pattern: string): RegExp {
  const parts = pattern.match(/\*+|\?|\[!?\]?[^\]]*\]|[^*?[]+|\[/gs) ?? [];
  try {
    return new RegExp(`^${parts.map(partOf).join('')}$`, 'su');
  } catch {
    return /(?!)/;
  }
}

function partOf(part: string): string {
  if (part.startsWith('*')) return '.*';
  if (part === '?') return '.';
  if (!part.startsWith('[') || part === '[') return escaped(part);
  const negated = part[1] === '!';
  const members = part.slice(negated ? 2 : 1, -1).replace(/[\\[\]^]/g, String.raw`\$&`);
  return `[${negated ? '^' : ''}${members}]`;
}
