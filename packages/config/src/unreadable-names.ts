/** What the template language reads as a name. */
const IDENTIFIER = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;

/** What to do about a column whose name templates cannot read; undefined for one that they can. */
export function renameColumn(name: string): string | undefined {
  if (IDENTIFIER.test(name)) return undefined;
  const parts = name.replaceAll(/[^\p{ID_Continue}]+/gu, '_').replace(/^(?![\p{ID_Start}_])/u, '_');
  return `Templates cannot read '${name}', because it is not a single word: rename the column, for example to ${parts}.`;
}

/** The same for the first of some columns that a template with a syntax error contains; undefined if it contains none. */
export function renameColumnIn(source: string, names: readonly string[]): string | undefined {
  return names.flatMap((name) => (source.includes(name) ? (renameColumn(name) ?? []) : []))[0];
}
