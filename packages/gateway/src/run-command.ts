import { DataDesignerError, parseJson, stringifyJson } from '@data-designer/core';
import type { ExecutionProvider } from '@data-designer/config';
import { type Check, execute } from '@data-designer/execution';

/** Runs the programs of a request by the command of a provider; `body` and the result are JSON text. */
export async function runCommand({ name, command, args, env, cwd }: ExecutionProvider, body: string): Promise<string> {
  const { language, runs, limits } = parseJson(body) as unknown as Check & { readonly language: string };
  const own = { language, program: command, args, env, cwd };
  const ran = await execute('command', { limits, runs: runs.map((run) => ({ ...run, command: own })) });
  const unusable = ran.find(({ failure }) => failure?.kind === 'unusable')?.failure;
  if (!unusable) return stringifyJson(ran);
  throw new DataDesignerError('execution/unusable', { engine: name, reason: unusable.message, forAll: true });
}
