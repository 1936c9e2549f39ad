/** Ends the tests in one line on a Node that is too old, before anything fails in a stranger way. */
export async function setup(): Promise<void> {
  await import('../packages/core/src/end-on-old-node.ts');
}
