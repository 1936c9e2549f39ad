import { fitText, textTable, textWidth } from '@data-designer/printing';
import type { AddedType, InstalledPlugins } from '../plugin-packages/installed-plugins.ts';
import type { ListedPackage } from '../plugin-packages/listed-packages.ts';

/** The longest description of a table, in terminal columns. */
const WIDEST_DESCRIPTION = 60;

/** Packages as a table, or one below the other where a terminal is too narrow for it. */
export function printPackages(packages: readonly ListedPackage[], width: number | undefined): string {
  const rows = packages.map((one) => [
    one.name,
    one.version ?? '',
    fitText(one.description, WIDEST_DESCRIPTION),
    printTypes(one.plugins),
    one.incompatibilities.length === 0 ? 'yes' : 'no',
    one.installed ?? '',
    one.catalog,
  ]);
  const head = ['package', 'version', 'description', 'adds', 'compatible', 'installed', 'catalog'];
  const lines = textTable([head, ...rows], { isRuled: true });
  const isTooWide = width !== undefined && lines.some((line) => textWidth(line) > width);
  return isTooWide ? packages.map((one) => printPackage(one)).join('\n\n') : lines.join('\n');
}

/** One package, a line for each of its fields. */
export function printPackage(one: ListedPackage): string {
  return printFields([...printPackageFields(one), ['requirement', one.install.requirement]]);
}

/** The fields of a package; its compatibility is unknown for another version than that of the catalog. */
export function printPackageFields(one: ListedPackage, version?: string): readonly (readonly [string, string])[] {
  return [
    ['package', [one.name, version ?? one.version ?? ''].join(' ').trimEnd()],
    ['catalog', one.catalog],
    ['description', one.description],
    ['adds', printTypes(one.plugins)],
    [
      'compatible',
      (version ?? one.version) === one.version
        ? printCompatibility(one)
        : 'unknown for another version than the catalog has',
    ],
    ['installed', one.installed ?? 'no'],
    ['docs', one.docs.url],
  ];
}

/** Names and values, aligned. */
export function printFields(fields: readonly (readonly [name: string, value: string])[]): string {
  return textTable(fields).join('\n');
}

/** Whether a package works here, and with which versions. */
function printCompatibility({ compatibility, incompatibilities }: ListedPackage): string {
  if (incompatibilities.length > 0) return `no: ${incompatibilities.join('; ')}`;
  return `yes (Node ${compatibility.node}, data-designer ${compatibility.dataDesigner})`;
}

/** The types that a plug-in adds, by kind: `columns backwards, shouted; sampler dice`. */
export function printTypes(plugins: readonly Pick<AddedType, 'type' | 'name'>[]): string {
  const kinds = Map.groupBy(plugins, ({ type }) => type);
  const printed = [...kinds].map(([type, some]) => {
    const names = some.map(({ name }) => name).join(', ');
    return `${type}${some.length === 1 ? '' : 's'} ${names}`;
  });
  return printed.join('; ');
}

/** Installed packages with what they add, and those that cannot be used with the reason. */
export function printInstalled(found: readonly InstalledPlugins[]): string {
  const rows = found.map((one) => [
    one.package,
    one.version ?? '',
    [printTypes(one.plugins), ...(one.failures.length === 0 ? [] : ['cannot be used'])].filter(Boolean).join('; '),
  ]);
  const reasons = found.flatMap(({ failures }) =>
    failures.map(({ entry, reason }) => `${entry} cannot be used: ${reason}`),
  );
  const table = textTable([['package', 'version', 'adds'], ...rows], { isRuled: true });
  return [...table, ...(reasons.length === 0 ? [] : ['', ...reasons])].join('\n');
}
