import satisfies from 'semver/functions/satisfies.js';
import { packageVersion } from '@data-designer/declaration';
import type { CatalogPackage } from './catalog.ts';

/** The versions that a package must work with. */
export interface Versions {
  readonly node: string;
  readonly dataDesigner: string;
}

/** The versions of this program. */
function currentVersions(): Versions {
  return { node: process.versions.node, dataDesigner: packageVersion() };
}

/** The reasons why a package does not work with these versions; none if it does. */
export function incompatibilities(
  { compatibility }: Pick<CatalogPackage, 'compatibility'>,
  versions: Versions = currentVersions(),
): readonly string[] {
  const programs = [
    ['Node', versions.node, compatibility.node],
    ['data-designer', versions.dataDesigner, compatibility.dataDesigner],
  ] as const;
  return programs.flatMap(([program, version, range]) =>
    fits(version, range) ? [] : [`it needs ${program} ${range}, and this is ${version}`],
  );
}

/** Whether a version is in a range; a version such as 2.0.0-beta.1 is in >=1.0.0. */
export function fits(version: string, range: string): boolean {
  return satisfies(version, range, { includePrerelease: true });
}
