import '@data-designer/core';

export { quotedName, quotedPath, quotedPaths, quotedText } from './duck-db/sql-text.ts';
export { isOutOfMemory, openConfinedDuckDb, prepareSelect, withBoundedDuckDb } from './duck-db/with-duck-db.ts';
