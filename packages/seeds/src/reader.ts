export { tablesReader } from './tables/table-reader.ts';
