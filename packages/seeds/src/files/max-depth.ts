/** Lists and mappings within each other in a file: far beyond any table, and within DuckDB's stack. */
export const MAX_DEPTH = 200;
