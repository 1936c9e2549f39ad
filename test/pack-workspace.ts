import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COPIED = ['.ci', 'configs', 'package.json', 'packages', 'tsconfig.build.json', 'tsconfig.json', 'turbo.json'];
const LEFT_OUT = new Set(['.turbo', 'dist', 'node_modules']);

/** What a package.json says of a package. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** A package as npm would send it to the registry. */
export interface Packed {
  readonly name: string;
  /** Address of its .tgz file. */
  readonly tarball: string;
  readonly files: readonly string[];
}

/** The manifests of all packages of the workspace. */
export const manifests: readonly Manifest[] = readdirSync(join(ROOT, 'packages'))
  .filter((folder) => existsSync(join(ROOT, 'packages', folder, 'package.json')))
  .map((folder) => readManifest(join(ROOT, 'packages', folder)));

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Builds the workspace in a copy, where nothing old lies in `dist` and nobody is at work, and packs the public package. */
export async function packWorkspace(folder: string): Promise<Packed> {
  const copy = join(folder, 'workspace');
  for (const name of COPIED) {
    const filter = (path: string) => !LEFT_OUT.has(basename(path));
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter });
  }
  linkModules(copy);
  await npm(['run', 'build'], { cwd: copy });

  const target = join(folder, 'tarballs');
  mkdirSync(target);
  const report = await npm(['pack', './packages/data-designer', '--json', '--pack-destination', target], { cwd: copy });
  const [packed] = readReport(report, target);
  if (!packed) throw new Error(`npm packed nothing: ${report}`);
  return packed;
}

/** Gives the copy the installed libraries, with the packages of the workspace leading to the copy's own. */
function linkModules(copy: string): void {
  const installed = join(ROOT, 'node_modules');
  const names = readdirSync(installed).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(installed, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  const own = new Map<string, string>();
  for (const folder of readdirSync(join(copy, 'packages'))) {
    own.set(readManifest(join(copy, 'packages', folder)).name, join(copy, 'packages', folder));
    for (const nested of [join('packages', folder, 'node_modules')].filter((path) => existsSync(join(ROOT, path))))
      symlinkSync(join(ROOT, nested), join(copy, nested), 'junction');
  }
  for (const name of names) {
    const link = join(copy, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(own.get(name) ?? join(installed, name), link, 'junction');
  }
}

/** npm 11 and newer report by package name, older ones as a list. */
function readReport(report: string, target: string): Packed[] {
  const entries = Object.values(
    JSON.parse(report) as Record<string, { name: string; filename: string; files: { path: string }[] }>,
  );
  return entries.map(({ name, filename, files }) => ({
    name,
    tarball: join(target, basename(filename.replaceAll('/', sep))),
    files: files.map(({ path }) => path),
  }));
}
