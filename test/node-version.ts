/** Ends the tests in one line on a Node that is too old, before anything fails in a stranger way. */
export function setup(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) return;
  process.stderr.write(`Node 22.12 or newer is needed; this is ${process.versions.node}.\n`);
  process.exit(1);
}
