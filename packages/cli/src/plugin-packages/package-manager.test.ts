import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chooseManager, type ManagerName, managerCommand } from './package-manager.ts';
import { findProject } from './project.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-manager-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** The command that installs `words` from a folder of the project, and why its program was chosen. */
function chosen(below = '', environment: Readonly<Record<string, string>> = {}, given?: ManagerName): string {
  const project = findProject(join(folder, below));
  if (project === undefined) throw new Error('there is no project');
  const manager = chooseManager(project, { given, environment });
  return `${managerCommand(manager, 'install', 'words').join(' ')} (${manager.because})`;
}

const PNPM = { npm_config_user_agent: 'pnpm/10.2.0 npm/? node/v24.0.0' };

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['no sign', {}, 'npm install words (the default)'],
  ['a lockfile of npm', { 'package-lock.json': '{}' }, 'npm install words (package-lock.json)'],
  ['a lockfile of pnpm', { 'pnpm-lock.yaml': '' }, 'pnpm add words (pnpm-lock.yaml)'],
  ['a lockfile of Yarn', { 'yarn.lock': '' }, 'yarn add words (yarn.lock)'],
  [
    'packageManager beside a lockfile',
    { 'package.json': '{"packageManager":"yarn@4.1.0"}', 'package-lock.json': '' },
    'yarn add words (packageManager in package.json)',
  ],
  [
    'the root of a workspace of pnpm',
    { 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': 'packages: [a/*]' },
    'pnpm add --workspace-root words (pnpm-lock.yaml)',
  ],
  [
    'the root of a workspace of Yarn 1',
    { 'package.json': '{"workspaces":["a/*"]}', 'yarn.lock': '' },
    'yarn add --ignore-workspace-root-check words (yarn.lock)',
  ],
  [
    'the root of a workspace of Yarn 4',
    { 'package.json': '{"workspaces":["a/*"]}', 'yarn.lock': '', '.yarnrc.yml': '' },
    'yarn add words (yarn.lock)',
  ],
])('%s chooses the command', (...told) => {
  const [, files, command] = told;
  write({ 'package.json': '{}', ...files });
  expect(chosen()).toBe(command);
});

test('a member of a workspace has the lockfile of the workspace; another folder below has not', () => {
  write({
    'package.json': '{"workspaces":{"packages":["./a/*"]}}',
    'yarn.lock': '',
    'a/b/package.json': '{}',
    'c/package.json': '{}',
    'a/b/src/x': '',
  });
  expect(chosen('a/b/src')).toBe('yarn add words (yarn.lock)');
  expect(chosen('c', PNPM)).toBe('pnpm add words (this command was started by pnpm)');
});

test('lockfiles of several package managers and an unsupported one need --manager', () => {
  write({ 'package.json': '{}', 'package-lock.json': '{}', 'yarn.lock': '' });
  expect(() => chosen('', PNPM)).toThrow(
    `The package manager of ${folder} is unclear: it has package-lock.json and yarn.lock. Name one with --manager npm, pnpm or yarn.`,
  );
  expect(chosen('', PNPM, 'npm')).toBe('npm install words (--manager)');
  write({ 'package.json': '{"packageManager":"bun@1.2.0"}' });
  expect(() => chosen()).toThrow('packageManager in package.json names bun, which is not supported');
});
