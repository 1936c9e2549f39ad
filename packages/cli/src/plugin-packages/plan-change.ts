import validRange from 'semver/ranges/valid.js';
import { DataDesignerError } from '@data-designer/core';
import { installedPackage } from '@data-designer/declaration';
import { fits } from './compatibility.ts';
import { type ListedPackage, shortName } from './listed-packages.ts';
import { chooseManager, type Manager, managerCommand, type ManagerName } from './package-manager.ts';
import { pluginSign, type Project, requireProject } from './project.ts';
import { printCommand } from './run-manager.ts';

/** A change of the packages of a project that is not made yet. */
export interface PlannedChange {
  readonly package: string;
  readonly project: Project;
  readonly manager: Manager;
  readonly words: readonly string[];
  /** The words as a user would type them. */
  readonly command: string;
  /** Whether the project is in this state already. */
  readonly isDone: boolean;
}

/** What the user chooses for a change. */
export interface ChangeChoice {
  readonly manager?: ManagerName | undefined;
  /** The version to install in place of that of the catalog. */
  readonly version?: string | undefined;
}

/** Plans to install a package; throws `plugin/incompatible`, `plugin/no-project` or `plugin/no-manager`. */
export function planInstall(found: ListedPackage, { manager: given, version }: ChangeChoice): PlannedChange {
  const { name, install, incompatibilities: reasons } = found;
  // The catalog describes its own version only.
  if ((version ?? found.version) === found.version && reasons.length > 0) {
    throw new DataDesignerError('plugin/incompatible', { package: name, reasons });
  }
  const project = requireProject();
  const manager = chooseManager(project, { given });
  const requirement = version === undefined ? install.requirement : `${name}@${version}`;
  const words = managerCommand(manager, 'install', requirement);
  const isDone = project.dependencies.includes(name) && isSatisfied(found, requirement);
  return { package: name, project, manager, words, command: printCommand(words), isDone };
}

/** Whether the installed version fits a requirement; only a range or a version tells. */
function isSatisfied({ name, version, installed }: ListedPackage, requirement: string): boolean {
  if (installed === null) return false;
  if (requirement === name) return version === undefined || version === installed;
  const wanted = requirement.slice(name.length + 1);
  return validRange(wanted) !== null && fits(installed, wanted);
}

/** Plans to uninstall a dependency; throws `plugin/not-installed`, `plugin/no-project` or `plugin/no-manager`. */
export function planUninstall(given: string, choice: ChangeChoice): PlannedChange {
  const project = requireProject();
  const name = findDependency(given, project);
  const manager = chooseManager(project, { given: choice.manager });
  const words = managerCommand(manager, 'uninstall', name);
  return { package: name, project, manager, words, command: printCommand(words), isDone: false };
}

function findDependency(name: string, { folder, dependencies }: Project): string {
  if (dependencies.includes(name)) return name;
  const plugins = dependencies.filter((one) => pluginSign(installedPackage(one, folder)?.manifest ?? {}));
  const matches = plugins.filter((one) => shortName(one) === name);
  const [first] = matches;
  if (first === undefined) throw new DataDesignerError('plugin/not-installed', { name, folder, known: plugins });
  if (matches.length > 1) throw new DataDesignerError('plugin/ambiguous-package', { name, matches });
  return first;
}
