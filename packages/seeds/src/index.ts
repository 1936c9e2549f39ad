export { inspectSeed, type InspectSeedOptions, seedSource } from './inspect-seed.ts';
export { type PriorSeed, priorSeed } from './prior-seed.ts';
export { RowSpools } from './rows/row-spools.ts';
export type { SeedInspection, SeedReader } from './seed-reader.ts';
export { seedReaders } from './seed-readers.ts';
export { inspectCollection } from './tables/inspect-collection.ts';
export { type PreparedTables, prepareTables } from './tables/prepare-tables.ts';
export type { TableFile, TableSource } from './tables/table-source.ts';
