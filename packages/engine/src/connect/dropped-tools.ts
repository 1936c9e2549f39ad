/** A tool that requests leave out. */
export interface DroppedTool {
  readonly provider: string;
  readonly tool: string;
  readonly reason: string;
}

/** Tools of a provider that requests leave out for one reason. */
export interface DroppedTools extends Omit<DroppedTool, 'tool'> {
  readonly tools: readonly string[];
}

/** Tools that requests leave out, in one entry for each provider and reason. */
export function byReason(dropped: readonly DroppedTool[]): readonly DroppedTools[] {
  const groups = Map.groupBy(dropped, ({ provider, reason }) => JSON.stringify([provider, reason]));
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const { tool, ...rest } = first;
    return { ...rest, tools: [tool, ...others.map((one) => one.tool)] };
  });
}
