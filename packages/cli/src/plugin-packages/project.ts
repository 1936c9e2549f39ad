import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadDocument } from '@data-designer/config';
import { DataDesignerError, type Fields, fieldsOf, itemsOf, stringOf } from '@data-designer/core';
import { installedPackage } from '@data-designer/declaration';
import { foldersUp } from './plugin-commands.ts';

/** The project of the working folder. */
export interface Project {
  readonly folder: string;
  /** Its package.json. */
  readonly manifest: Fields;
  /** The packages that its package.json names. */
  readonly dependencies: readonly string[];
}

/** The project of a folder: the nearest one with a package.json; undefined without one. Throws `config/unreadable`. */
export function findProject(from = process.cwd()): Project | undefined {
  const folder = foldersUp(from).find((one) => existsSync(join(one, 'package.json')));
  if (folder === undefined) return undefined;
  const manifest = fieldsOf(loadDocument(join(folder, 'package.json')));
  return { folder, manifest, dependencies: dependenciesOf(manifest) };
}

/** The project of the working folder; throws `plugin/no-project`. */
export function requireProject(): Project {
  const project = findProject();
  if (project === undefined) throw new DataDesignerError('plugin/no-project', { folder: process.cwd() });
  return project;
}

function dependenciesOf(manifest: Fields): readonly string[] {
  const lists = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  return [...new Set(lists.flatMap((list) => Object.keys(fieldsOf(manifest[list]))))].toSorted();
}

/** The installed version of a package; null if it is not installed, or has none. */
export function installedVersion(name: string, folder: string): string | null {
  return stringOf(installedPackage(name, folder)?.manifest['version']);
}

/** Whether a package says that it has plug-ins: by a keyword, or possibly because it extends data-designer. */
export function pluginSign(manifest: Fields): 'keyword' | 'peer' | undefined {
  if (itemsOf(manifest['keywords']).includes('data-designer-plugin')) return 'keyword';
  return 'data-designer' in fieldsOf(manifest['peerDependencies']) ? 'peer' : undefined;
}
