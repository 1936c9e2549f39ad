const folder = process.env['NODE_COMPILE_CACHE'];

/** The environment in which a server that tests start takes its compiled code: half the CPU of its start. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
