/** What runs programs: an interpreter, or a database that runs queries. */
export const ENGINE_NAMES = ['javascript', 'python', 'sqlite', 'duckdb'] as const;

/** The name of an engine. */
export type EngineName = (typeof ENGINE_NAMES)[number];
