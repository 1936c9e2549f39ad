/** How often a tool was called, and how often that failed; timeouts are among the errors. */
export interface ToolCounts {
  calls: number;
  errors: number;
  timeouts: number;
}

/** Adds counts by tool to others; neither is kept. */
export function addToolCounts(total: Record<string, ToolCounts>, more: Readonly<Record<string, ToolCounts>>): void {
  for (const [tool, { calls, errors, timeouts }] of Object.entries(more)) {
    const counts = (total[tool] ??= { calls: 0, errors: 0, timeouts: 0 });
    counts.calls += calls;
    counts.errors += errors;
    counts.timeouts += timeouts;
  }
}
