import { z } from 'zod';
import type { ValueType } from '@data-designer/core';
import { datasetSeed } from './dataset-seed.ts';
import { directorySeed, fileContentsSeed } from './file-seeds.ts';
import { hubSeed } from './hub-seed.ts';
import { localSeed } from './local-seed.ts';
import { mcpToolsSeed } from './mcp-tools-seed.ts';
import { memorySeed } from './memory-seed.ts';
import { rolloutSeed } from './rollout-seed.ts';

const [first, ...others] = [
  localSeed,
  hubSeed,
  datasetSeed,
  directorySeed,
  fileContentsSeed,
  rolloutSeed,
  mcpToolsSeed,
  memorySeed,
] as const;

/** The built-in kinds of seeds. */
export const seedKinds = [first, ...others] as const;

/** The schema of the built-in sources. Keys that a source does not have are removed (as in NeMo Data Designer). */
export const seedSource = z.discriminatedUnion('seedType', [first.schema, ...others.map(({ schema }) => schema)]);

/** A parsed source. That of a plug-in has this type too: `ColumnRegistry.seedOf` finds its type. */
export type SeedSource = z.output<typeof seedSource>;

/** The TypeScript types of the rows, by `seedType`. */
export type SeedRows = {
  [Kind in (typeof seedKinds)[number] as z.output<Kind['schema']>['seedType']]: Kind extends {
    readonly row?: ValueType<infer Row>;
  }
    ? Row
    : never;
};
