/** The file that was not there, where that is why something could not be read. */
export function goneFile(thrown: unknown): string | undefined {
  const cause = thrown instanceof Error ? (thrown.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code === 'ENOENT' ? cause.path : undefined;
}

/** The file that is gone, to look for what has its place; throws what was thrown for another reason, or a second time. */
export function goneAnew(thrown: unknown, before: string | undefined): string {
  const path = goneFile(thrown);
  if (path === undefined || path === before) throw thrown;
  return path;
}
