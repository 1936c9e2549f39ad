import type { SeedSource } from '@data-designer/config';
import { datasetReader } from './datasets/dataset-reader.ts';
import { directoryReader, fileContentsReader } from './files/folder-readers.ts';
import { localReader } from './files/local-reader.ts';
import { hubReader } from './hub/hub-reader.ts';
import { rolloutReader } from './rollouts/rollout-reader.ts';
import { mcpToolsReader } from './files/mcp-tools-reader.ts';
import { memoryReader } from './rows/memory-reader.ts';
import type { SeedReader } from './seed-reader.ts';

/** The reader of each built-in `seed_type`. */
export const seedReaders: {
  readonly [Type in SeedSource['seedType']]: SeedReader<Extract<SeedSource, { readonly seedType: Type }>>;
} = {
  local: localReader,
  hf: hubReader,
  dataset: datasetReader,
  df: memoryReader,
  directory: directoryReader,
  file_contents: fileContentsReader,
  agent_rollout: rolloutReader,
  'mcp-tools': mcpToolsReader,
};
