export { readBenchmarks, type ReadBenchmarksOptions } from './files/read-benchmarks.ts';
export { inspectSeed, type InspectSeedOptions, seedSource } from './inspect-seed.ts';
export { type PriorSeed, priorSeed } from './prior-seed.ts';
export { RowSpools } from './rows/row-spools.ts';
export type { SeedInspection, SeedReader, TableReading } from './seed-reader.ts';
export { seedReaders } from './seed-readers.ts';
export { type CollectionState, collectionState } from './collections/collection-state.ts';
export { givenSum } from './collections/collection-sum.ts';
export { downloadedSum, downloadOf } from './collections/download-collection.ts';
export { inspectCollection } from './collections/inspect-collection.ts';
export {
  copyOf,
  type InstalledCollection,
  installCollection,
  partialFolder,
  refuseUnfit,
  refusing,
} from './collections/install-collection.ts';
export { type PreparedTables, prepareTables } from './tables/prepare-tables.ts';
export { seedRows } from './tables/seed-rows.ts';
export type { TableFile, TableSource } from './tables/table-source.ts';
