import { existsSync } from 'node:fs';
import {
  type Home,
  joinProviders,
  loadDocument,
  loadProviders,
  loadRunConfig,
  readHome,
  readSource,
  type RunConfig,
} from '@data-designer/config';
import { DataDesignerError, printViolation, type Violation } from '@data-designer/core';
import type { LocalToolProvider } from '@data-designer/mcp';
import type { Permissions } from '../../data-designer-options.ts';
import type { GivenProviders } from '../../options/given-providers.ts';
import type { Declaration } from '../../declaration/declaration.ts';
import type { CommonFlags } from './common-flags.ts';

/** Reads a command's config from a file or an address. */
export function readConfig(source: string, { allowPrivate }: CommonFlags): Promise<Declaration> {
  const isAddress = /^[a-z][a-z\d+.-]+:\/\//i.test(source);
  return isAddress ? readSource(source, { allowPrivate }) : Promise.resolve(readFile(source));
}

function readFile(source: string): Declaration {
  return { document: loadDocument(source), source, origin: 'local' };
}

/** The settings of a `DataDesigner` from the common flags and the home folder. */
export interface CommonSettings {
  /** A provider from a flag's file replaces the home folder's provider of the same name. */
  readonly providers: GivenProviders;
  readonly runConfig: Partial<RunConfig>;
  /** The home folder: models for configs that declare none, and tool configs. */
  readonly home: Home;
  readonly permissions: Permissions;
  readonly prices: string | undefined;
  readonly mediaRoots: readonly string[];
  readonly plugins: readonly string[];
  readonly onWarning: (warning: Violation) => void;
}

/** Reads the files that the common flags name, and the home folder; its warnings go to standard error. */
export function readCommon(flags: CommonFlags): CommonSettings {
  const { providers, runConfig, seed, maxCost, maxTime, prices, allowLocal, allowPrivate, allowSecret } = flags;
  const settings = runConfig === undefined ? {} : loadRunConfig(runConfig);
  const home = readHome();
  for (const warning of home.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const given = providers.map((file) => loadProviders(file));
  const { models, tools } = joinProviders(...given, home.providers);
  return {
    providers: { models, tools: [...functionsIn(flags.functions), ...tools] },
    runConfig: {
      ...settings,
      ...(seed === undefined ? {} : { seed }),
      ...(maxCost === undefined ? {} : { maxCost }),
      ...(maxTime === undefined ? {} : { maxDurationSeconds: maxTime }),
    },
    prices,
    mediaRoots: flags.mediaRoot,
    plugins: flags.plugins,
    home,
    permissions: { localFiles: allowLocal, secrets: allowSecret, privateAddresses: allowPrivate },
    onWarning: (warning) => process.stderr.write(`Warning: ${printViolation(warning)}\n`),
  };
}

/** The module of `--functions` as a provider. Only a flag may name code, a config never does. */
function functionsIn(file: string | undefined): readonly LocalToolProvider[] {
  if (file === undefined) return [];
  if (!existsSync(file)) {
    throw new DataDesignerError('tool/unavailable', { provider: 'functions', reason: `there is no file ${file}` });
  }
  return [{ name: 'functions', providerType: 'local', module: file }];
}
