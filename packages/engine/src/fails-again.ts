/** Failures that follow from the config and the values of the row alone, beside those of templates. */
const OF_VALUES: ReadonlySet<string> = new Set([
  'column/bad-history',
  'column/bad-schema',
  'column/bad-tools',
  'column/bad-turns',
  'column/constraint-unmet',
  'column/no-text',
  'column/not-converted',
]);

/** Whether a cell that failed with a code fails again, without a request, as long as config and values stay. */
export function failsAgain(code: string | undefined): boolean {
  return code !== undefined && (code.startsWith('template/') || OF_VALUES.has(code));
}
