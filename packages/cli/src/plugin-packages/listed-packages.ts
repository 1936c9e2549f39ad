import { DataDesignerError, knownNames, nearest } from '@data-designer/core';
import type { CatalogPackage } from './catalog.ts';
import { incompatibilities } from './compatibility.ts';
import type { LoadedCatalog } from './load-catalogs.ts';
import { findProject, installedVersion } from './project.ts';

/** A package of a catalog, as commands list it. */
export interface ListedPackage extends CatalogPackage {
  /** The alias of its catalog. */
  readonly catalog: string;
  /** Its short name: without its scope and the prefix `data-designer-`. */
  readonly alias: string;
  /** Why it does not work with these versions of Node and Data Designer; none if it does. */
  readonly incompatibilities: readonly string[];
  /** Its version in the project of the working folder; null if it is not installed. */
  readonly installed: string | null;
}

/** The packages of catalogs, by name. */
export function listPackages(catalogs: readonly LoadedCatalog[]): readonly ListedPackage[] {
  const project = findProject();
  const listed = catalogs.flatMap(({ alias: catalog, packages }) =>
    packages.map((one) => ({
      ...one,
      catalog,
      alias: shortName(one.name),
      incompatibilities: incompatibilities(one),
      installed: project ? installedVersion(one.name, project.folder) : null,
    })),
  );
  return listed.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The name of a package without its scope and the prefix `data-designer-`. */
export function shortName(name: string): string {
  return name.replace(/^@[^/]+\//, '').replace(/^data-designer-/, '');
}

/** The packages that contain every word of a query in their names, descriptions or plug-ins. */
export function searchPackages(packages: readonly ListedPackage[], query: string): readonly ListedPackage[] {
  const words = query.toLowerCase().split(/\s+/);
  return packages.filter(({ name, alias, description, plugins }) => {
    const types = plugins.flatMap((plugin) => [plugin.name, plugin.type]);
    const text = [name, alias, description, ...types].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** What to do if there is no catalog. */
export const NO_CATALOG =
  'The home folder has no catalogs, and there is no public one. Add one with: data-designer plugin catalog add <alias> <source>';

/** The package of a name or a short name; throws `plugin/unknown-package` or `plugin/ambiguous-package`. */
export function findPackage(
  packages: readonly ListedPackage[],
  name: string,
  catalogs: readonly LoadedCatalog[],
): ListedPackage {
  const exact = packages.filter((one) => one.name === name);
  const found = exact.length > 0 ? exact : packages.filter(({ alias }) => alias === name);
  const [first] = found;
  if (first === undefined) {
    const remedy = catalogs.length === 0 ? `${NO_CATALOG}.` : whatElse(packages, name);
    throw new DataDesignerError('plugin/unknown-package', { name, remedy });
  }
  if (found.length === 1) return first;
  const matches = found.map((one) => `${one.name} (catalog ${one.catalog})`);
  throw new DataDesignerError('plugin/ambiguous-package', { name, matches });
}

/** The package with a type of that name, else the names of packages. */
function whatElse(packages: readonly ListedPackage[], name: string): string {
  for (const one of packages) {
    const plugin = one.plugins.find((type) => type.name === name);
    if (plugin) return `The ${plugin.type} '${name}' is in the package ${one.name}.`;
  }
  return nearestPackage(packages, name);
}

/** Names the package with the most similar name, else all of them. */
export function nearestPackage(packages: readonly ListedPackage[], name: string): string {
  const names = packages.map((one) => one.name);
  const near = nearest(name, [...names, ...packages.map(({ alias }) => alias)]);
  return near === undefined ? knownNames(name, names) : `Did you mean '${near}'?`;
}
