/** The oldest Node that published code runs on. */
export const NEEDED_NODE = '22.12';

/** The version of this Node where it is too old to run on. This file and who imports it first must run on such a Node. */
export const tooOldNode: string | undefined = isOlder(process.versions.node) ? process.versions.node : undefined;

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}
