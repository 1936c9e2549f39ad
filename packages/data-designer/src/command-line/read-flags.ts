import {
  type Home,
  joinProviders,
  loadDocument,
  loadProviders,
  loadRunConfig,
  type Providers,
  readHome,
  readSource,
  type RunConfig,
} from '@data-designer/config';
import type { Violation } from '@data-designer/core';
import type { Permissions } from '../data-designer.ts';
import type { Declaration } from '../declaration.ts';
import type { CommonFlags } from './flags.ts';

/** The declaration that a command is about, out of a file or from an address; never text itself. */
export function readConfig(source: string, { allowPrivate }: CommonFlags): Promise<Declaration> {
  const isAddress = /^[a-z][a-z\d+.-]+:\/\//i.test(source);
  return isAddress ? readSource(source, { allowPrivate }) : Promise.resolve(readFile(source));
}

function readFile(source: string): Declaration {
  return { document: loadDocument(source), source, origin: 'local' };
}

/** What the common flags and the home folder say to a `DataDesigner`, which adds the built-in providers itself. */
export interface CommonSettings {
  /** Of two providers with one name that of a flag's file wins over that of the home folder. */
  readonly providers: Providers;
  readonly runConfig: Partial<RunConfig>;
  /** The home folder's models, for a config that declares none, and its tool configs. */
  readonly home: Home;
  readonly permissions: Permissions;
  readonly prices?: string;
  readonly onWarning: (warning: Violation) => void;
}

/** Reads what the common flags name, and the home folder, whose warnings go to standard error. */
export function readCommon(flags: CommonFlags): CommonSettings {
  const { providers, runConfig, seed, maxCost, prices, allowLocal, allowPrivate, allowSecret } = flags;
  const settings = runConfig === undefined ? {} : loadRunConfig(runConfig);
  const home = readHome();
  for (const warning of home.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const given = providers.map((file) => loadProviders(file));
  return {
    providers: joinProviders(...given, home.providers),
    runConfig: { ...settings, ...(seed === undefined ? {} : { seed }), ...(maxCost === undefined ? {} : { maxCost }) },
    ...(prices === undefined ? {} : { prices }),
    home,
    permissions: { localFiles: allowLocal, secrets: allowSecret, privateAddresses: allowPrivate },
    onWarning: ({ path, message, remedy }) =>
      process.stderr.write(`${`Warning: ${path}: ${message} ${remedy}`.trimEnd()}\n`),
  };
}
