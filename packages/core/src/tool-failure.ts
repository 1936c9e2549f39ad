/** How the tool message of a failed call begins; the reason follows. */
export function toolFailurePrefix(tool: string): string {
  return `Error: Tool '${tool}' failed: `;
}

/** Whether a tool message is that of a failed call. */
export function isToolFailure(text: string): boolean {
  return /^Error: Tool '[^\n]*?' failed: /.test(text);
}
