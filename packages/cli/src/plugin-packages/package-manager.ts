import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadDocument, shellPattern } from '@data-designer/config';
import { DataDesignerError, fieldsOf, isFields, itemsOf, stringOf } from '@data-designer/core';
import { foldersUp } from './plugin-commands.ts';
import type { Project } from './project.ts';

/** The package managers that `plugin install` can use. */
const MANAGERS = ['npm', 'pnpm', 'yarn'] as const;

/** The name of a package manager. */
export type ManagerName = (typeof MANAGERS)[number];

/** A package manager, and why it was chosen. */
export interface Manager {
  readonly name: ManagerName;
  readonly because: string;
  /** Flags that a change of the root of a workspace needs. */
  readonly flags: readonly string[];
}

/** How to choose the package manager. */
export interface ManagerChoice {
  /** The one that the user names. */
  readonly given?: ManagerName | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const LOCKFILES: readonly (readonly [file: string, manager: string])[] = [
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/**
 * The package manager of a project: the given one, else that of `packageManager`, of a lockfile, of the program that started
 * this one, or npm. Throws `plugin/no-manager` for an unsupported one, and for lockfiles of several.
 */
export function chooseManager(project: Project, { given, environment = process.env }: ManagerChoice = {}): Manager {
  const folders = projectFolders(project);
  const [name, because] =
    given === undefined
      ? (declared(folders) ?? locked(project, folders) ?? started(environment) ?? ['npm', 'the default'])
      : [given, '--manager'];
  const known = MANAGERS.find((one) => one === name);
  if (known === undefined) {
    throw new DataDesignerError('plugin/no-manager', {
      folder: project.folder,
      reason: `${because} names ${name}, which is not supported`,
    });
  }
  return { name: known, because, flags: workspaceFlags(known, project) };
}

type Found = readonly [name: string, because: string];

/** The folder of a project, and that of the workspace to which it belongs. */
function projectFolders({ folder }: Project): readonly string[] {
  const [, ...above] = foldersUp(folder);
  const workspace = above.find((root) => {
    const member = relative(root, folder).replaceAll('\\', '/');
    return workspacePatterns(root).some((pattern) => shellPattern(pattern.replace(/^\.\/|\/$/g, ''))(member));
  });
  return workspace === undefined ? [folder] : [folder, workspace];
}

/** The patterns of the members of a workspace; none for another folder. */
function workspacePatterns(folder: string): readonly string[] {
  const pnpm = join(folder, 'pnpm-workspace.yaml');
  const { workspaces } = manifestOf(folder);
  const list = existsSync(pnpm) ? fieldsOf(loadDocument(pnpm)).packages : workspaces;
  return itemsOf(isFields(list) ? list['packages'] : list).map(String);
}

function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  const path = join(folder, 'package.json');
  return existsSync(path) ? fieldsOf(loadDocument(path)) : {};
}

/** The package manager in the field `packageManager`, such as pnpm@10.2.0. */
function declared(folders: readonly string[]): Found | undefined {
  const texts = folders.map((folder) => stringOf(manifestOf(folder)['packageManager'])?.trim());
  const text = texts.find((one) => one);
  return text ? [text.replace(/@.*$/, ''), 'packageManager in package.json'] : undefined;
}

function locked({ folder: project }: Project, folders: readonly string[]): Found | undefined {
  for (const folder of folders) {
    const found = LOCKFILES.filter(([file]) => existsSync(join(folder, file)));
    const [first] = found;
    if (first === undefined) continue;
    if (new Set(found.map(([, name]) => name)).size > 1) {
      const reason = `it has ${found.map(([file]) => file).join(' and ')}`;
      throw new DataDesignerError('plugin/no-manager', { folder: project, reason });
    }
    return [first[1], first[0]];
  }
  return undefined;
}

/** The package manager whose command started this program: its user agent begins with `pnpm/10.2.0`. */
function started({
  npm_config_user_agent: agent = '',
}: Readonly<Record<string, string | undefined>>): Found | undefined {
  const name = MANAGERS.find((one) => agent.startsWith(`${one}/`));
  return name && [name, `this command was started by ${name}`];
}

/** pnpm and the first version of Yarn refuse to change the root of a workspace without a flag. */
function workspaceFlags(name: ManagerName, { folder, manifest }: Project): readonly string[] {
  if (name === 'pnpm') return existsSync(join(folder, 'pnpm-workspace.yaml')) ? ['--workspace-root'] : [];
  if (name === 'npm' || manifest['workspaces'] === undefined) return [];
  const version = /^yarn@(\d+)/.exec(stringOf(manifest['packageManager']) ?? '')?.[1];
  const isFirst = version === undefined ? !existsSync(join(folder, '.yarnrc.yml')) : version === '1';
  return isFirst ? ['--ignore-workspace-root-check'] : [];
}

const VERBS = {
  npm: { install: 'install', uninstall: 'uninstall' },
  pnpm: { install: 'add', uninstall: 'remove' },
  yarn: { install: 'add', uninstall: 'remove' },
} as const;

/** The words of a command that installs or uninstalls a package. */
export function managerCommand(
  { name, flags }: Manager,
  verb: 'install' | 'uninstall',
  spec: string,
): readonly [program: ManagerName, ...args: string[]] {
  return [name, VERBS[name][verb], ...flags, spec];
}
