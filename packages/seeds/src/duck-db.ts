import '@data-designer/core';

export { quotedName, quotedPath, quotedText } from './duck-db/sql-text.ts';
export { isOutOfMemory, withBoundedDuckDb } from './duck-db/with-duck-db.ts';
