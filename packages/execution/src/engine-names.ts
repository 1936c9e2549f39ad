/** What runs programs in a sandbox: an interpreter, or a database that runs queries. */
export const ENGINE_NAMES = ['javascript', 'python', 'sqlite', 'duckdb'] as const;

/** The name of an engine with a sandbox. */
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The name of any engine: also of the one that runs commands of providers, which bring their own sandbox. */
export type AnyEngineName = EngineName | 'command';
