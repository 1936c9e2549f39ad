import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import type { Finished } from './command-line.ts';

/** Where a program runs, and the folders whose programs it finds first. */
export interface ProgramFolders {
  readonly cwd: string;
  readonly path?: readonly string[];
}

const WINDOWS = process.platform === 'win32';
/** What the npm that started these tests tells its children about this repository. */
const OF_THIS_REPOSITORY = /^(?:npm_(?:package|lifecycle)_.*|npm_config_local_prefix|node_options|init_cwd|path)$/i;

/** Runs a program to its end; it knows nothing of the npm that runs these tests. */
export function runProgram(
  file: string,
  args: readonly string[],
  { cwd, path = [] }: ProgramFolders,
): Promise<Finished> {
  const kept = Object.entries(process.env).filter(([name]) => !OF_THIS_REPOSITORY.test(name));
  const env = { ...Object.fromEntries(kept), NO_COLOR: '1', PATH: [...path, process.env.PATH].join(delimiter) };
  const shell = WINDOWS && file === 'npm';
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, shell, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr: code === null ? `${stderr}${error?.message}` : stderr });
    });
  });
}

/** Runs npm and gives what it printed; throws with its output when it fails. */
export async function npm(args: readonly string[], folders: ProgramFolders): Promise<string> {
  const { code, stdout, stderr } = await runProgram('npm', args, folders);
  if (code !== 0) throw new Error(`npm ${args[0]} ended with code ${code}.\n${stdout}\n${stderr}`);
  return stdout;
}
