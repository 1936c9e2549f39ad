import { printJson } from './display/print-results.ts';
import { type CatalogFlags, readCatalogs } from './flags/catalog-flags.ts';
import { withPrompts } from './wizards/prompts.ts';
import { DataDesignerError } from '@data-designer/core';
import { printFields, printPackageFields, printTypes } from './display/print-plugins.ts';
import { loadedPlugins } from './plugin-packages/installed-plugins.ts';
import { findPackage, listPackages, type ListedPackage } from './plugin-packages/listed-packages.ts';
import type { ManagerName } from './plugin-packages/package-manager.ts';
import { type PlannedChange, planInstall, planUninstall } from './plugin-packages/plan-change.ts';
import { installedVersion } from './plugin-packages/project.ts';

/** The flags of commands that change the packages of a project. */
export interface ChangeFlags {
  readonly manager?: ManagerName;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** Installs a package of the catalogs in the project, and reports its types. */
export async function install(given: string, flags: ChangeFlags & CatalogFlags): Promise<void> {
  const { catalogs } = await readCatalogs(flags);
  const [, name = given, version] = /^(.+)@([^@]+)$/.exec(given) ?? [];
  const found = findPackage(listPackages(catalogs), name, catalogs);
  const plan = planInstall(found, { version, manager: flags.manager });
  if (!flags.json) {
    const fields = [...printPackageFields(found, version), ...planFields(plan)];
    process.stdout.write(`${printFields(fields)}\n\n`);
  }
  if (plan.isDone) {
    if (!flags.json) process.stdout.write(`${found.name} ${found.installed} is installed already.\n`);
    if (flags.dryRun) return printDryRun(plan, flags);
  } else if (!(await makeChange(plan, flags))) return;
  const { project } = plan;
  const outcome = { ...outcomeOf(plan), changed: !plan.isDone, version: installedVersion(found.name, project.folder) };
  await reportTypes(found, outcome, flags);
}

/** Uninstalls a package of the project. */
export async function uninstall(given: string, flags: ChangeFlags): Promise<void> {
  const plan = planUninstall(given, { manager: flags.manager });
  const { package: name, project } = plan;
  if (!flags.json) process.stdout.write(`${printFields([['package', name], ...planFields(plan)])}\n\n`);
  if (!(await makeChange(plan, flags))) return;
  const remaining = installedVersion(name, project.folder);
  if (flags.json) return printJson({ ...outcomeOf(plan), changed: true, remaining });
  process.stdout.write(`uninstalled: ${name}\n`);
  if (remaining !== null) {
    process.stderr.write(`Warning: version ${remaining} stays in node_modules, because another package needs it.\n`);
  }
}

function planFields({ project, manager, command }: PlannedChange): readonly (readonly [string, string])[] {
  return [
    ['project', project.folder],
    ['manager', `${manager.name} (${manager.because})`],
    ['command', command],
  ];
}

function outcomeOf({ package: name, project, manager, command }: PlannedChange) {
  return { package: name, project: project.folder, manager: manager.name, command };
}

/** Makes a planned change after the user agrees; false if the user does not, and for a dry run. */
async function makeChange(plan: PlannedChange, flags: ChangeFlags): Promise<boolean> {
  if (flags.dryRun) {
    printDryRun(plan, flags);
    return false;
  }
  if (!flags.yes && !(await isConfirmed())) return false;
  const { runManager } = await import('./plugin-packages/run-manager.ts');
  await runManager({ words: plan.words, folder: plan.project.folder, json: flags.json });
  return true;
}

function printDryRun(plan: PlannedChange, { json }: ChangeFlags): void {
  if (json) printJson({ ...outcomeOf(plan), changed: false, dryRun: true });
  else process.stdout.write('Dry run: nothing was changed.\n');
}

async function isConfirmed(): Promise<boolean> {
  let isAgreed: boolean | undefined;
  const message = 'A plug-in is a program with your rights. Run the command?';
  await withPrompts(async ({ confirm }) => {
    isAgreed = await confirm({ message, default: false });
  }, 'Cancelled. Nothing was changed.');
  if (isAgreed === false) process.stdout.write('Nothing was changed.\n');
  return isAgreed === true;
}

/** The outcome of an installation, as JSON output begins. */
interface Outcome extends ReturnType<typeof outcomeOf> {
  readonly changed: boolean;
  readonly version: string | null;
}

/** Loads the plug-ins of an installed package and reports their types; throws `plugin/unusable`. */
async function reportTypes(found: ListedPackage, outcome: Outcome, { json }: ChangeFlags): Promise<void> {
  const entries = [...new Set(found.plugins.map(({ entry }) => entry))];
  const { plugins, failures } = await loadedPlugins(found.name, outcome.project, entries);
  const [failure] = failures;
  if (failure) {
    const reason = `the package is installed, but ${failure.reason}`;
    throw new DataDesignerError('plugin/unusable', { module: failure.entry, reason });
  }
  const missing = found.plugins.filter(
    ({ type, name }) => !plugins.some((one) => one.type === type && one.name === name),
  );
  if (json) return printJson({ ...outcome, plugins, missing });
  for (const { type, name } of missing) {
    process.stderr.write(`Warning: the catalog lists the ${type} '${name}', which the package does not add.\n`);
  }
  if (outcome.changed) process.stdout.write(`installed: ${found.name} ${outcome.version ?? ''}\n`);
  process.stdout.write(`adds: ${printTypes(plugins)}\n`);
  process.stdout.write(`Use it with: data-designer preview <config> --plugins ${entries.join(',')}\n`);
}
