/** How the tool message of a failed call begins; the reason follows. */
export function toolFailurePrefix(tool: string): string {
  return `Error: Tool '${tool}' failed: `;
}

/** Whether a tool message is that of a failed call. */
export function isToolFailure(text: string): boolean {
  return /^Error: Tool '[^\n]*?' failed: /.test(text);
}

/** The kinds of failed calls. */
export const TOOL_FAILURES = {
  connection: 'the connection failed',
  timeout: 'no answer in time',
  server: 'the server refused the call',
  tool: 'the tool reported an error',
  result: 'the result cannot be read',
  arguments: 'the arguments were refused',
  'unknown-tool': 'there is no such tool',
} as const satisfies Readonly<Record<string, string>>;

/** How a call failed. */
export type ToolFailureKind = keyof typeof TOOL_FAILURES;
