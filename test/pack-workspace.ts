import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm } from './npm.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

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

/** Packs the public package as `build-program.ts` has built it: the build empties `dist` first. */
export async function packWorkspace(folder: string): Promise<Packed> {
  const target = join(folder, 'tarballs');
  mkdirSync(target);
  const report = await npm(['pack', './packages/data-designer', '--json', '--pack-destination', target], { cwd: ROOT });
  const [packed] = readReport(report, target);
  if (!packed) throw new Error(`npm packed nothing: ${report}`);
  return packed;
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
