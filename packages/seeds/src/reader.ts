export { type TablesReader, tablesReader } from './tables/table-reader.ts';
